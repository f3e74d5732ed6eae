//! Where the worker and the tests find libtorch when they start.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // torch-sys has `links = "tch"` and hands on the folder it linked against.
    let Some(lib) = std::env::var_os("DEP_TCH_LIBTORCH_LIB") else { return };
    let lib = std::path::PathBuf::from(lib);
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
    // Nothing in the program names a symbol of these; with the linker's default of as-needed they would be dropped, and
    // a CUDA build would find no CUDA device.
    println!("cargo:rustc-link-arg=-Wl,--no-as-needed");
    println!("cargo:rustc-link-arg=-L{}", lib.display());
    println!("cargo:rustc-link-arg=-ltorch");
    if lib.join("libtorch_cuda.so").exists() {
        println!("cargo:rustc-link-arg=-ltorch_cuda");
    }
    println!("cargo:rustc-link-arg=-Wl,--as-needed");
}
