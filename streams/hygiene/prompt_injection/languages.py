"""Orders to a model in other languages than English: the stems by which each one is known.

An order to forget what was said needs, in one sentence and in any order, a word for leaving aside,
one for what was before or for all of it, and one for instructions. An order to tell the prompt
needs a word for telling and one for the prompt. Stems are lower case and match words that begin so;
the first and the last of each language are whole words where it is written in Latin letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple


class Language(NamedTuple):
    """Stems, separated by spaces; ``_`` stands for a space within one."""

    leave: str
    before: str
    instructions: str
    tell: str
    prompt: str


LANGUAGES = {
    "de": Language(
        "ignoriere ignoriert ignorieren vergiss vergesst vergessen missachte missachten verwirf",
        "alle vorherig bisherig vorangegangen obig früher vorig zuvor",
        "anweisung instruktion befehl aufgabe vorgabe regel prompt",
        "verrate zeig gib nenne drucke wiederhole enthülle",
        "systemprompt system-prompt systemanweisung deine_anweisung deine_instruktion",
    ),
    "fr": Language(
        "ignore ignorez ignorer oublie oubliez oublier négligez",
        "tout toute précéden antérieur ci-dessus",
        "instruction consigne directive règle ordre",
        "révèle révélez affiche affichez montre montrez donne donnez répète répétez",
        "prompt_système invite_système instructions_système tes_instructions vos_instructions",
    ),
    "es": Language(
        "ignora ignore ignorar ignorad olvida olvide olvidar olvidad descarta omiso",
        "toda todo anterior previ de_arriba",
        "instruccion indicacion indicación instrucción orden regla directiva",
        "revela muestra imprime repite dime enseña",
        "prompt_del_sistema instrucciones_del_sistema prompt_de_sistema tus_instrucciones",
    ),
    "pt": Language(
        "ignore ignora ignorar esqueça esquece esquecer desconsidere descarte",
        "toda todo tudo anterior prévi acima",
        "instruç instruc orientaç ordem ordens regra diretriz",
        "revele mostre imprima repita exiba diga",
        "prompt_do_sistema prompt_de_sistema instruções_do_sistema suas_instruções",
    ),
    "it": Language(
        "ignora ignorate ignorare dimentica dimenticate dimenticare trascura tralascia",
        "tutt precedent sopra anterior",
        "istruzion direttiv ordin regol indicazion",
        "rivela mostra stampa ripeti",
        "prompt_di_sistema istruzioni_di_sistema prompt_del_sistema tue_istruzioni",
    ),
    "nl": Language(
        "negeer negeren vergeet vergeten",
        "alle eerder vorige voorgaande bovenstaand",
        "instructie opdracht aanwijzing regel",
        "toon onthul druk geef herhaal",
        "systeemprompt systeem-prompt systeeminstructie je_instructies",
    ),
    "pl": Language(
        "zignoruj ignoruj zignorować zapomnij pomiń",
        "wszystk poprzedni wcześniejsz powyższ",
        "instrukcj polece wskazów zasad",
        "ujawnij pokaż wypisz powtórz",
        "prompt_systemow instrukcje_systemow swoje_instrukcj",
    ),
    "cs": Language(
        "ignoruj ignorujte zapomeň zapomeňte opomiň zabudni",
        "všechn předchoz předešl výše predchádzajúc",
        "instrukc pokyn příkaz pravid inštrukc",
        "odhal ukaž vypiš zopakuj",
        "systémový_prompt systémové_instrukce své_instrukce",
    ),
    "sv": Language(
        "ignorera ignorer ignorér glöm glem bortse",
        "alla alle tidigare föregående ovanstående forrige foregående ovenstående",
        "instruktion instruks anvisning order regler",
        "visa vis avslöja afslør avslør skriv",
        "systemprompt systeminstruktion dina_instruktioner dine_instruks",
    ),
    "fi": Language(
        "ohita unohda huomiotta sivuuta",
        "kaikki aiemm edelli yllä",
        "ohje käsky määräy",
        "paljasta näytä tulosta toista",
        "järjestelmäkehot järjestelmäkehote järjestelmän_ohje",
    ),
    "hu": Language(
        "figyelmen felejtsd felejtse ignoráld",
        "minden összes korábbi előző fenti eddigi",
        "utasítás parancs szabály",
        "mutasd írd_ki áruld fedd",
        "rendszerprompt rendszerüzenet rendszerutasítás",
    ),
    "ro": Language(
        "ignoră ignorați uită uitați",
        "toate tot anterioar precedent",
        "instrucțiun instructiun ordin regul",
        "dezvăluie arată afișează repetă",
        "promptul_de_sistem promptul_sistemului",
    ),
    "hr": Language(
        "zanemari zanemarite ignoriraj ignoriši zaboravi zaboravite",
        "sve sva prethodn ranije gornj",
        "uput instrukcij nalog naredb pravil",
        "otkrij pokaži ispiši ponovi",
        "sistemski_prompt sustavski_prompt sistemsku_uput",
    ),
    "tr": Language(
        "yok_say yoksay görmezden göz_ardı unut dikkate_alma",
        "tüm bütün önceki yukarıdaki daha_önceki",
        "talimat yönerge komut kural",
        "göster yazdır açıkla söyle",
        "sistem_istem sistem_prompt sistem_talimat",
    ),
    "vi": Language(
        "bỏ_qua phớt_lờ quên",
        "tất_cả mọi trước_đó trước_đây ở_trên phía_trên",
        "hướng_dẫn chỉ_dẫn chỉ_thị lệnh quy_tắc",
        "hiển_thị tiết_lộ in_ra cho_tôi_xem",
        "lời_nhắc_hệ_thống prompt_hệ_thống",
    ),
    "id": Language(
        "abaikan lupakan",
        "semua seluruh sebelumnya di_atas terdahulu",
        "instruksi perintah petunjuk arahan aturan",
        "tampilkan ungkapkan cetak tunjukkan",
        "prompt_sistem instruksi_sistem",
    ),
    "el": Language(
        "αγνόησ αγνοήσ ξέχασ ξεχάσ παράβλεψ",
        "όλες όλα προηγούμεν παραπάνω",
        "οδηγί εντολ κανόν",
        "αποκάλυψ εμφάνισ δείξ τύπωσ",
        "προτροπή_συστήματος εντολές_συστήματος",
    ),
    "ru": Language(
        "забуд игнорир проигнорир не_обращай отбрось",
        "все всё предыдущ прежни прошл вышеуказан",
        "инструкц указан команд правил",
        "покажи выведи раскрой повтори напечатай",
        "системный_промпт системные_инструкц системную_инструкц свои_инструкц",
    ),
    "uk": Language(
        "забуд ігнор проігнор не_зважай",
        "всі усі попередн вищенаведен",
        "інструкц вказів команд правил",
        "покажи виведи розкрий повтори",
        "системний_промпт системні_інструкц свої_інструкц",
    ),
    "ar": Language(
        "تجاهل انس انسى أهمل",
        "جميع كل السابقة السابق أعلاه",
        "التعليمات تعليمات الأوامر أوامر القواعد",
        "اطبع واطبع اعرض واعرض أظهر وأظهر اكشف",
        "موجه_النظام تعليمات_النظام مطالبة_النظام",
    ),
    "fa": Language(
        "نادیده_بگیر نادیده فراموش",
        "تمام همه قبلی پیشین بالا",
        "دستورالعمل دستورات دستور قوانین",
        "نشان چاپ آشکار",
        "پرامپت_سیستم دستورات_سیستم",
    ),
    "he": Language(
        "התעלם התעלמו שכח שכחי",
        "כל הקודמות קודמות לעיל",
        "ההוראות הוראות הנחיות ההנחיות",
        "הצג חשוף הדפס",
        "הנחיית_המערכת הוראות_המערכת פרומפט_המערכת",
    ),
    "hi": Language(
        "अनदेखा नज़रअंदाज़ नजरअंदाज भूल",
        "सभी पिछले पिछली पूर्व उपरोक्त",
        "निर्देश आदेश नियम",
        "दिखा बता प्रकट",
        "सिस्टम_प्रॉम्प्ट सिस्टम_निर्देश",
    ),
    "bn": Language(
        "উপেক্ষা ভুলে",
        "সমস্ত সব পূর্ববর্তী আগের উপরের",
        "নির্দেশ আদেশ নিয়ম",
        "দেখা প্রকাশ মুদ্রণ",
        "সিস্টেম_প্রম্পট সিস্টেম_নির্দেশ",
    ),
    "ur": Language(
        "نظر_انداز بھول",
        "تمام پچھلی پچھلے سابقہ اوپر",
        "ہدایات ہدایت احکام قواعد",
        "دکھا ظاہر پرنٹ",
        "سسٹم_پرامپٹ سسٹم_ہدایات",
    ),
    "bg": Language(
        "игнорирай забрави пренебрегни",
        "всички предишн горните досегашн",
        "инструкц указан команд правил",
        "покажи изведи разкрий повтори",
        "системния_промпт системни_инструкц",
    ),
    "zh": Language(
        "忽略 忘记 忘掉 忘記 无视 無視 不要理会 不要理會 跳过",
        "之前 以前 以上 上述 上面 所有 先前 前面 全部",
        "指令 指示 提示 说明 說明 规则 規則 命令 要求",
        "输出 輸出 显示 顯示 告诉 告訴 打印 泄露 洩露 重复 透露",
        "系统提示 系統提示 系统指令 系統指令 系统消息",
    ),
    "ja": Language(
        "無視 忘れ 従わないで 破棄",
        "これまで 以前 上記 すべて 全て 前の 今まで 先の",
        "指示 命令 指令 プロンプト ルール 規則",
        "出力 表示 教えて 見せて 開示 明かし",
        "システムプロンプト システム指示 システムメッセージ",
    ),
    "ko": Language(
        "무시 잊어 잊으 따르지_마",
        "이전 모든 위의 지금까지 앞의 앞선",
        "지시 명령 지침 프롬프트 규칙",
        "출력 보여 알려 공개 표시",
        "시스템_프롬프트 시스템프롬프트 시스템_지시 시스템_메시지",
    ),
    "th": Language(
        "เพิกเฉย ละเว้น ลืม ไม่ต้องสนใจ",
        "ทั้งหมด ก่อนหน้า ข้างต้น ที่ผ่านมา",
        "คำสั่ง คำแนะนำ กฎ",
        "แสดง เปิดเผย พิมพ์",
        "พรอมต์ระบบ คำสั่งระบบ",
    ),
}  # fmt: skip
VERB_FIRST = frozenset(("fr", "es", "pt", "it", "ro"))  # an order begins with its verb
GAP = r"[^.!?。！？؟।\n]{0,40}?"
REACH_BACK = 110  # characters: two gaps with the words around them


class Order(NamedTuple):
    """A pattern for `Rule`: looked for from ``back`` characters before one of the anchors."""

    rule_id: str
    anchors: tuple[str, ...]
    pattern: str
    back: int


def list_orders() -> Iterator[Order]:
    """The patterns of all languages."""
    for name, it in LANGUAGES.items():
        groups = [_any_of(stems(group)) for group in (it.leave, it.before, it.instructions)]
        verb_first = name in VERB_FIRST
        orders = ((groups[0], *rest) for rest in permutations(groups[1:]))
        chosen = orders if verb_first else permutations(groups)
        pattern = "|".join(map(GAP.join, chosen))
        yield Order("A-IGNORE", stems(it.leave), pattern, 0 if verb_first else REACH_BACK)
        asked = permutations((_any_of(stems(it.tell)), _any_of(stems(it.prompt))))
        yield Order("A-SYSTEM", stems(it.prompt), "|".join(map(GAP.join, asked)), REACH_BACK)


def stems(words: str) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for word in words.split())


def _any_of(words: tuple[str, ...]) -> str:
    """One of the stems; where words stand apart, only at the beginning of one."""
    start = r"(?<!\w)" if words[0][0] < "\u0e00" else ""
    return f"{start}(?:{'|'.join(map(re.escape, words))})"
