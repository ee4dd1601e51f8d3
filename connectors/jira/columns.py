"""What the columns of an exported table mean, in the languages Jira is shown in.

A heading that no list has is no loss: the key of an issue is found by its form, and a column that
holds sentences is read under its own heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from connectors.jira.items import is_key

NAMES: dict[str, tuple[str, ...]] = {
    "key": (
        "issue key", "key", "work item key", "issuekey", "vorgangsschlüssel", "schlüssel",
        "clé de ticket", "clé du ticket", "clé de demande", "clave de incidencia",
        "clave de la incidencia", "clave", "chave da item", "chave do item", "chave da pendência",
        "chave", "chiave segnalazione", "chiave ticket", "chiave", "issuesleutel", "sleutel",
        "klucz zgłoszenia", "klucz", "ключ запроса", "ключ задачи", "ключ", "課題キー", "キー",
        "问题关键字", "密钥", "이슈 키", "키",
    ),
    "summary": (
        "summary", "title", "zusammenfassung", "résumé", "resumen", "resumo", "riepilogo",
        "samenvatting", "podsumowanie", "тема", "резюме", "要約", "概要", "摘要", "요약",
    ),
    "description": (
        "description", "beschreibung", "descripción", "descrição", "descrizione", "beschrijving",
        "omschrijving", "opis", "описание", "説明", "描述", "설명",
    ),
    "created": (
        "created", "created date", "creation date", "erstellt", "erstellt am", "création",
        "créée", "créé", "creada", "creado", "criado", "criada", "creato", "data creazione",
        "aangemaakt", "gemaakt", "utworzono", "utworzone", "создано", "дата создания",
        "作成日", "作成", "创建日期", "已创建", "생성일", "만듦",
    ),
    "updated": (
        "updated", "updated date", "last updated", "aktualisiert", "mise à jour", "mis à jour",
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
MOST_LOOKED_AT = 200  # rows that show which column holds the keys


def meanings_of(heads: Sequence[str], rows: Iterable[Sequence[tuple[int, str]]]) -> list[str]:
    """What each column means; of an unknown one nothing: an empty word.

    Where no heading names the keys, they are in the first column that holds most of them.
    """
    found = [_MEANS.get(" ".join(head.casefold().split()), "") for head in heads]
    if "key" not in found:
        keys = Counter(place for row in rows for place, value in row if is_key(value.strip()))
        most = max(keys.values(), default=0)
        for place in sorted(place for place, count in keys.items() if count == most)[:1]:
            found[place] = "key"
    return found


def field_name(head: str) -> str | None:
    """The name of a field of a site's own, which an export puts into brackets; otherwise None."""
    named = _NAMED.fullmatch(head)
    return named["name"].strip() if named else None
