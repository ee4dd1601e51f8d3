"""Names of the months and marks of the half of a day, in the languages Jira is shown in.

Each language names its twelve months in order; a month's full name and its short forms are parted
by ``/``. The same short form for two months (in two languages) is in no list.
"""

from __future__ import annotations

LANGUAGES = {
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug"
    " september/sep/sept october/oct november/nov december/dec",
    "de": "januar/jänner/jän februar/feber märz/mär/mrz april mai juni juli august september"
    " oktober/okt november dezember/dez",
    "fr": "janvier/janv février/févr/fév mars avril/avr mai juin juillet/juil août/aoû septembre"
    " octobre novembre décembre/déc",
    "es": "enero/ene febrero marzo abril/abr mayo/may junio julio agosto/ago"
    " septiembre/setiembre/set octubre noviembre diciembre/dic",
    "pt": "janeiro fevereiro/fev março abril maio/mai junho julho agosto setembro outubro/out"
    " novembro dezembro",
    "it": "gennaio/gen febbraio marzo aprile maggio/mag giugno/giu luglio/lug agosto settembre"
    " ottobre/ott novembre dicembre",
    "nl": "januari februari maart/mrt april mei juni juli augustus september oktober november"
    " december",
    "pl": "stycznia/styczeń/sty lutego/luty/lut marca/marzec kwietnia/kwiecień/kwi maja/maj"
    " czerwca/czerwiec/cze lipca/lipiec/lip sierpnia/sierpień/sie września/wrzesień/wrz"
    " października/październik/paź listopada/lis grudnia/grudzień/gru",
    "cs": "ledna/leden/led února/únor/úno března/březen/bře dubna/duben/dub května/květen/kvě"
    " června/červen/čvn července/červenec/čvc srpna/srpen/srp září/zář října/říjen/říj"
    " listopadu prosince/prosinec/pro",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember/des",
    "fi": "tammikuuta/tammi helmikuuta/helmi maaliskuuta/maalis huhtikuuta/huhti toukokuuta/touko"
    " kesäkuuta/kesä heinäkuuta/heinä elokuuta/elo syyskuuta/syys lokakuuta/loka"
    " marraskuuta/marras joulukuuta/joulu",
    "hu": "január február/febr március/márc április/ápr május/máj június/jún július/júl augusztus"
    " szeptember/szept október november december",
    "ro": "ianuarie/ian februarie martie aprilie mai iunie/iun iulie/iul august septembrie"
    " octombrie noiembrie/noi decembrie",
    "tr": "ocak/oca şubat/şub mart nisan/nis mayıs haziran/haz temmuz/tem ağustos/ağu eylül/eyl"
    " ekim/eki kasım/kas aralık/ara",
    "ru": "января/январь/янв февраля/февраль/фев/февр марта/март/мар апреля/апрель/апр мая/май"
    " июня/июнь/июн июля/июль/июл августа/август/авг сентября/сентябрь/сен/сент"
    " октября/октябрь/окт ноября/ноябрь/ноя/нояб декабря/декабрь/дек",
    "uk": "січня/січень/січ лютого/лютий/лют березня/березень/бер квітня/квітень/кві"
    " травня/травень/тра червня/червень/чер липня/липень/лип серпня/серпень/сер"
    " вересня/вересень/вер жовтня/жовтень/жов листопада/листопад грудня/грудень/гру",
}
CHINESE = "一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月"
YEAR_FIRST = frozenset(["午前", "午後", "上午", "下午", "오전", "오후"])  # of two digits, too
MORNING = frozenset(
    ["am", "vorm", "mañana", "vm", "fm", "ap", "de", "dop", "öö", "дп", "午前", "上午", "오전"]
)
AFTERNOON = frozenset(
    ["pm", "nachm", "tarde", "nm", "em", "ip", "du", "odp", "ös", "пп", "午後", "下午", "오후"]
)


def _months() -> dict[str, int]:
    """Every name with its month, without those that mean two."""
    means: dict[str, set[int]] = {}
    for names in (*LANGUAGES.values(), CHINESE):
        for number, month in enumerate(names.split(), start=1):
            for name in month.split("/"):
                means.setdefault(name, set()).add(number)
    return {name: numbers.pop() for name, numbers in means.items() if len(numbers) == 1}


MONTHS = _months()
