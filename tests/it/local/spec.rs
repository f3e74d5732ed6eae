//! What the name of a local model says of how it runs.

use super::*;

#[test]
fn the_name_says_how_it_runs() {
    let spec = LocalSpec::parse("a,b=c/Qwen,device=cuda:0+cuda:1,dtype=bf16,times=2,video=nested,threads=3");
    let spec = spec.expect("known settings");
    assert_eq!(spec.folder, PathBuf::from("a,b=c/Qwen"));
    assert_eq!(spec.device, LocalDevice::These(vec!["cuda:0".into(), "cuda:1".into()]));
    assert_eq!((spec.dtype.as_str(), spec.video.as_str()), ("bf16", "nested"));
    assert_eq!((spec.times, spec.threads), (Times::Rate(2.0), Some(3)));
    assert_eq!(LocalSpec::parse("/models/Robo").expect("a folder"), LocalSpec::new("/models/Robo"));
    assert_eq!(LocalSpec::parse("d,times=0.001").expect("slow").times, Times::Rate(0.001));
    let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).max(16);
    assert_eq!(LocalSpec::parse(&format!("d,threads={most}")).expect("many").threads, Some(most));
    let rates = "own (the frames' own times), or frames a second, from 0.001 to 1000";
    for (text, message, help) in [
        ("", "local: names no folder", "give the folder of a checkpoint: local:DIR"),
        ("d,devise=cpu", "local:d,devise=cpu: the setting 'devise' is not known", "did you mean device?"),
        (
            "d,threads=1024",
            "local:d,threads=1024: threads=1024 is no number of threads for this machine",
            &format!("from 1 to {most}; one a core is the default"),
        ),
        ("d,dtype=f32,dtype=bf16", "local:d,dtype=f32,dtype=bf16: dtype is given twice", "give it once"),
        (
            "src,foo=1",
            "local:src,foo=1: the setting 'foo' is not known",
            "known are device, dtype, video, times, threads, download",
        ),
        ("d,dtype=int8", "local:d,dtype=int8: dtype=int8 is not known", "stored, f32, bf16, f16"),
        ("d,times=0", "local:d,times=0: times=0 is no rate", rates),
        ("d,times=1e-300", "local:d,times=1e-300: times=1e-300 is no rate", rates),
        ("d,times=1e4", "local:d,times=1e4: times=1e4 is no rate", rates),
        ("d,times=NaN", "local:d,times=NaN: times=NaN is no rate", rates),
    ] {
        let error = LocalSpec::parse(text).expect_err(text);
        assert_eq!((error.to_string().as_str(), error.help()), (message, Some(help)));
        assert!(error.is_usage());
    }
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let set = ModelOptions::default;
    for (options, message) in [
        (ModelOptions { base_urls: vec!["http://localhost/v1".into()], ..set() }, "takes no base url"),
        (ModelOptions { reasoning: Some("high".into()), ..set() }, "does not reason"),
        (ModelOptions { temperature: Some(1.0), ..set() }, "answers greedily: no temperature, no top-p"),
        (ModelOptions { provider: Some("x".into()), ..set() }, "a provider can be pinned on OpenRouter alone"),
    ] {
        let error = roborm::reward::open("local:somewhere", &options).err().expect("it has no use for that");
        assert!(error.to_string().starts_with("local:somewhere ") && error.to_string().ends_with(message), "{error}");
        assert!(error.is_usage());
    }
}
