"""Encoder–decoders that translate: the Transformer and recurrent ones."""

from course_utils.seq2seq.recurrent import (
    RecurrentSeq2Seq,
    exact_matches,
    teacher_forcing_arrays,
)
from course_utils.seq2seq.transformer import TranslationTransformer
from course_utils.seq2seq.translator import Translator
