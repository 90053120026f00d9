"""A three-way cross-encoder like those of the catalogue, but tiny and with random weights."""

from pathlib import Path

WORDS = "[PAD] [CLS] [SEP] [UNK] [MASK] the bridge was opened closed in 1937 not . bread is baked".split()
LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}


def save_tiny(place: Path, *, labels: dict[int, str] = LABELS) -> Path:
    """Save one in half precision, as makers do, with nothing of its tokenizer but the files that we take."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

    torch.manual_seed(0)
    config = DebertaV2Config(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=512,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        type_vocab_size=0,
        num_labels=len(labels),
        id2label=labels,
        label2id={label: place for place, label in labels.items()},
    )
    DebertaV2ForSequenceClassification(config).half().save_pretrained(place)
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    ).save_pretrained(place)
    return place
