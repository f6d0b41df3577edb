"""A small BERT: masked words, pre-training, fine-tuning."""

from course_utils.bert.classifier import BertClassifier
from course_utils.bert.kerashub import to_kerashub
from course_utils.bert.masking import SentencePairs, mask_tokens, pretraining_batches
from course_utils.bert.mini_bert import MiniBert
from course_utils.bert.model import BertEncoder, BertPretraining, init_encoder
