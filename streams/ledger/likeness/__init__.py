"""How alike two texts are.

Reading order:

1. ``lexicon`` (`streams/lexicons/pairs.toml`), ``terms``: the words that count
2. ``similarity``; ``tokens`` and ``agreement``: whether alike texts say the same, too
3. ``pair_features``, ``weighing``: a learnt figure (`pair_weights.json`)
4. ``near_index``, ``nearest``: what is alike, without a look at everything
"""
