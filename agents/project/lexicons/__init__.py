"""The word lists of the project agents; their form: ``schemas.lexicons``."""

from functools import partial

from schemas import lexicons


class Wording(lexicons.Wording):
    home = __name__


read_lexicons = partial(lexicons.read_lexicons, __name__)
load_words = partial(lexicons.load_words, __name__)
list_ids = partial(lexicons.list_ids, __name__)
