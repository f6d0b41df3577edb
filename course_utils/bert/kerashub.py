"""Our small BERT as KerasHub's: the same weights in the form of its presets."""


def to_kerashub(network, vectorizer):
    """Return KerasHub's masked language model with the weights of ours.

    ``.backbone`` is its ``BertBackbone``, whose pooled output is that of our
    next-sentence head before its last layer; ``save_to_preset`` stores all of it.

    Args:
        network: a ``BertPretraining``.
        vectorizer: its ``WordPieceVectorizer``.
    Returns:
        A ``keras_hub.models.BertMaskedLM`` with preprocessor and tokenizer.
    """
    import keras_hub  # here and not above: it takes seconds

    encoder = network.encoder
    backbone = keras_hub.models.BertBackbone(
        vocabulary_size=encoder.vocab_size,
        num_layers=encoder.num_layers,
        num_heads=encoder.num_heads,
        hidden_dim=encoder.embed_dim,
        intermediate_dim=encoder.dense_dim,
        dropout=encoder.dropout,
        max_sequence_length=encoder.sequence_length,
    )
    for ours, theirs in (
        (encoder.embedding.token_embeddings, backbone.token_embedding),
        (encoder.embedding.position_embeddings, backbone.position_embedding),
        (encoder.segment_embedding, backbone.segment_embedding),
        (encoder.embedding_norm, backbone.embeddings_layer_norm),
        (network.next_head.pooled_dense, backbone.pooled_dense),
    ):
        theirs.set_weights(ours.get_weights())
    for ours, theirs in zip(encoder.blocks, backbone.transformer_layers, strict=True):
        theirs.set_weights(_block_weights(ours, theirs))

    tokenizer = keras_hub.models.BertTokenizer(
        vocabulary=vectorizer.vocabulary, lowercase=True, strip_accents=True
    )
    preprocessor = keras_hub.models.BertMaskedLMPreprocessor(
        tokenizer, sequence_length=encoder.sequence_length
    )
    masked_lm = keras_hub.models.BertMaskedLM(backbone, preprocessor=preprocessor)
    _copy_head(network.token_head, masked_lm.masked_lm_head)
    return masked_lm


def _copy_head(ours, theirs):
    """Copy our token head into KerasHub's, which names its parts with a "_"."""
    theirs._intermediate_dense.set_weights(ours.dense.get_weights())
    theirs._intermediate_layer_norm.set_weights(ours.norm.get_weights())
    theirs._bias.assign(ours.bias)


def _block_weights(ours, theirs):
    """Return our block's weights in the order and the shapes of KerasHub's."""
    attention = ours.self_attention
    parts = [
        *(attention.query_dense, attention.key_dense, attention.value_dense),
        *(attention.output_dense, ours.self_attention_norm, ours.feed_forward_norm),
        *(ours.dense_in, ours.dense_out),
    ]
    arrays = [array for part in parts for array in part.get_weights()]
    pairs = zip(arrays, theirs.weights, strict=True)
    return [array.reshape(weight.shape) for array, weight in pairs]
