"""What the columns of an exported table mean, in the languages Jira is shown in.

A heading that no list has is no loss: the key of an issue is found by its form, and a column that
holds sentences is read under its own heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from connectors.jira.fields import is_prose
from connectors.jira.items import is_key

NAMES: dict[str, tuple[str, ...]] = {
    "key": (
        "issue key", "key", "work item key", "issuekey", "vorgangsschlüssel", "schlüssel",
        "clé", "clé de ticket", "clé du ticket", "clé de demande", "clave de incidencia",
        "clave de la incidencia", "clave", "chave da item", "chave do item", "chave da pendência",
        "chave", "chiave segnalazione", "chiave ticket", "chiave", "issuesleutel", "sleutel",
        "klucz zgłoszenia", "klucz", "ключ запроса", "ключ задачи", "ключ", "課題キー", "キー",
        "问题关键字", "密钥", "이슈 키", "키",
    ),
    "summary": (
        "summary", "title", "zusammenfassung", "titel", "betreff", "résumé", "titre", "objet",
        "resumen", "resumo", "título", "riepilogo", "titolo", "oggetto", "samenvatting",
        "onderwerp", "podsumowanie", "tytuł", "тема", "резюме", "название", "要約", "概要", "件名",
        "摘要", "标题", "요약", "제목",
    ),
    "description": (
        "description", "beschreibung", "descriptif", "descripción", "descrição", "descrizione",
        "beschrijving", "omschrijving", "opis", "описание", "説明", "描述", "설명",
    ),
    "created": (
        "created", "created date", "creation date", "erstellt", "erstellt am", "création",
        "créée", "créé", "créé le", "date de création", "creada", "creado", "criado", "criada",
        "creato", "data creazione",
        "aangemaakt", "gemaakt", "utworzono", "utworzone", "создано", "дата создания",
        "作成日", "作成", "创建日期", "已创建", "생성일", "만듦",
    ),
    "updated": (
        "updated", "updated date", "last updated", "aktualisiert", "aktualisiert am",
        "mise à jour", "mis à jour", "mis à jour le", "date de mise à jour",
        "actualizada", "actualizado", "atualizado", "atualizada", "aggiornato",
        "data aggiornamento", "bijgewerkt", "zaktualizowano", "zaktualizowane", "обновлено",
        "дата обновления", "更新日", "更新", "已更新", "更新日期", "업데이트", "변경일",
    ),
    "reporter": (
        "reporter", "autor", "melder", "rapporteur", "informador", "informante", "relator",
        "segnalante", "melder", "zgłaszający", "автор", "報告者", "报告人", "보고자",
    ),
    "status": (
        "status", "state", "état", "estado", "stato", "статус", "ステータス", "状态", "상태",
    ),
    "resolution": (
        "resolution", "lösung", "résolution", "resolución", "resolução", "risoluzione",
        "oplossing", "rozwiązanie", "решение", "解決状況", "解决结果", "해결책",
    ),
    "labels": (
        "labels", "stichwörter", "stichworte", "étiquettes", "etiquetas", "etichette",
        "etiketten", "etykiety", "метки", "ラベル", "标签", "레이블",
    ),
    "comment": (
        "comment", "comments", "kommentar", "kommentare", "commentaire", "commentaires",
        "comentario", "comentarios", "comentário", "comentários", "commento", "commenti",
        "opmerking", "opmerkingen", "komentarz", "komentarze", "комментарий", "комментарии",
        "コメント", "评论", "注释", "댓글",
    ),
    "security": (
        "security level", "security", "sicherheitsstufe", "niveau de sécurité",
        "nivel de seguridad", "nível de segurança", "livello di sicurezza", "beveiligingsniveau",
    ),
    "other": ("project description", "project name", "log work", "attachment", "watchers"),
}  # fmt: skip
_MEANS = {name: meaning for meaning, names in NAMES.items() for name in names}
_NAMED = re.compile(r"[^()]+\((?P<name>.+)\)\s*")  # «Custom field (Acceptance Criteria)»


def meanings_of(heads: Sequence[str], rows: Sequence[Sequence[tuple[int, str]]]) -> list[str]:
    """What each column means; of an unknown one nothing: an empty word.

    Where no heading names the keys, they are in the first column that holds most of them. Where
    none names the summary, it is in the first unknown column that mostly holds several words.
    """
    meanings = [_MEANS.get(" ".join(head.casefold().split()), "") for head in heads]
    for meaning, is_one in (("key", is_key), ("summary", is_prose)):
        if meaning not in meanings:
            fits = Counter(place for row in rows for place, it in row if is_one(it.strip()))
            named = {
                place for place, head in enumerate(heads) if meanings[place] or field_name(head)
            }
            most = max((n for place, n in fits.items() if place not in named), default=0)
            first = [place for place, n in sorted(fits.items()) if n == most and place not in named]
            if most * 2 > len(rows):
                meanings[first[0]] = meaning
    return meanings


def field_name(head: str) -> str | None:
    """The name of a field of a site's own, which an export puts into brackets; otherwise None."""
    named = _NAMED.fullmatch(head)
    return named["name"].strip() if named else None
