//! A model's shape: every number and choice in which decoders of different families differ.
//!
//! A family's file (`family/`) makes a [`ModelShape`] of a `config.json`; behind that door nothing
//! needs checking again, and nothing is optional that need not be. Which formulas the choices stand
//! for is in `docs/definitions.md` ("Families").

pub use atelier_kernels::activation::Activation;
pub use atelier_kernels::norm::{NormKind, NormShape};

/// A decoder.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelShape {
    /// For people: `"Llama"`, `"GPT-2"`.
    pub family: &'static str,
    /// V
    pub vocabulary: usize,
    /// D
    pub width: usize,
    /// Longest prompt, in tokens.
    pub context: usize,
    pub input: InputShape,
    /// L blocks, as the checkpoint stores them.
    pub blocks: Vec<BlockShape>,
    /// The stored blocks in the order the model itself runs them: `0,1,2,…`, or `0,0,1,1,…` where
    /// layers are shared.
    pub order: Vec<usize>,
    pub head: HeadShape,
    pub bos_token_id: Option<u32>,
    pub eos_token_ids: Vec<u32>,
}

/// How tokens become the stream that enters block 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputShape {
    /// Every embedded token is multiplied by this (Gemma: the square root of D, in the type in which
    /// the checkpoint stores the embedding; else 1).
    pub scale: f32,
    /// Learned positions are added: `[context, D]` (GPT-2).
    pub learned_positions: bool,
}

/// How the last stream becomes logits: a norm, then the output rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadShape {
    pub norm: NormShape,
    /// Output rows are the embedding's rows.
    pub tied: bool,
    /// Tied rows that the checkpoint stores a second time are not read (MobileLLM, which reads the
    /// embedding whatever is beside it). Elsewhere they are, as transformers has it: where the two
    /// differ, the config is wrong and not the checkpoint.
    pub ignores_stored: bool,
    /// One number a vocabulary row is added to the logits (Phi-2).
    pub has_bias: bool,
}

/// One block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockShape {
    pub norm: NormShape,
    pub placement: NormPlacement,
    pub residual: Residual,
    pub attention: AttentionShape,
    pub mlp: MlpShape,
}

/// Where in a block its norms stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlacement {
    /// Before each branch: `attn(norm(h))`.
    Before,
    /// After each branch, inside it: `norm(attn(h))` (OLMo 2). The member is the branch after it.
    After,
}

/// The input of a block's MLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// The stream with the block's attention added.
    Sequential,
    /// The stream as attention reads it: `h + attn(norm(h)) + mlp(norm'(h))` (Pythia, Phi, Falcon).
    Parallel {
        /// One norm serves both branches (Phi, Falcon).
        shared_norm: bool,
    },
}

/// Causal attention.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionShape {
    /// H query heads.
    pub heads: usize,
    /// KV heads; they divide the query heads.
    pub kv_heads: usize,
    /// W: width of a head; `heads * head_width` need not be D.
    pub head_width: usize,
    /// A token sees itself and the `window - 1` before it.
    pub window: Option<usize>,
    /// Queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// The output projection has one.
    pub out_bias: bool,
    pub qk_norm: QkNorm,
    /// `None`: positions are learned.
    pub rope: Option<RopeShape>,
}

/// RMSNorm of queries and keys before they are turned, with [`BlockShape::norm`]'s eps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QkNorm {
    None,
    /// Over each head (Qwen 3).
    Head,
    /// Over all heads at once (OLMo 2).
    Full,
}

/// Rotary positions.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeShape {
    /// Dimensions of a head that turn, the first ones; even.
    pub width: usize,
    pub theta: f64,
    pub scaling: Option<RopeScaling>,
}

/// How rotary frequencies are stretched past the trained context.
#[derive(Clone, Debug, PartialEq)]
pub enum RopeScaling {
    /// All positions divided by `factor`.
    Linear { factor: f64 },
    /// Llama 3.1: low frequencies divided by `factor`, high ones kept, the band between blended.
    Llama3 { factor: f64, low_freq_factor: f64, high_freq_factor: f64, original_context: usize },
    /// Phi-3 128k: one divisor a frequency, the short list up to `original_context` tokens, the
    /// long list past it; cos and sin are multiplied by `attention_factor`.
    LongRope { short: Vec<f64>, long: Vec<f64>, original_context: usize, attention_factor: f64 },
}

/// The MLP: `down(act(up x))`, or gated `down(act(gate x) * up x)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MlpShape {
    /// F
    pub width: usize,
    pub is_gated: bool,
    pub activation: Activation,
    /// Both matrices have a bias.
    pub has_bias: bool,
}

impl ModelShape {
    /// The rotary positions of every block: one kind a model. (Models with several are to come.)
    pub fn rope(&self) -> Option<&RopeShape> {
        self.blocks.first()?.attention.rope.as_ref()
    }

    /// Whether the final norm or the unembedding adds a constant that no branch wrote. It is the last member.
    pub fn has_bias_member(&self) -> bool {
        self.head.has_bias || self.head.norm.kind == NormKind::Layer
    }
}

impl AttentionShape {
    /// Numbers of a token's queries, keys and values: `(H + 2 KV) W`.
    pub fn qkv_width(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head_width
    }

    /// Numbers of a token's attended values: `H W`.
    pub fn attended_width(&self) -> usize {
        self.heads * self.head_width
    }
}

impl MlpShape {
    /// Rows of the matrix that widens: gate rows, then up, or up alone.
    pub fn up_rows(&self) -> usize {
        if self.is_gated { 2 * self.width } else { self.width }
    }
}

impl BlockShape {
    /// Whether the MLP has a norm of its own.
    pub fn has_mlp_norm(&self) -> bool {
        self.residual != Residual::Parallel { shared_norm: true }
    }

    /// `[rows, columns]` of a matrix.
    pub fn matrix(&self, role: super::weights::MatrixRole, width: usize) -> [usize; 2] {
        use super::weights::MatrixRole as Role;
        let (attention, mlp) = (&self.attention, &self.mlp);
        match role {
            Role::Qkv => [attention.qkv_width(), width],
            Role::Out => [width, attention.attended_width()],
            Role::Up => [mlp.up_rows(), width],
            Role::Down => [width, mlp.width],
        }
    }

    /// The vectors a block of this shape has, and their lengths.
    pub fn vectors(&self, width: usize) -> Vec<(super::weights::VectorRole, usize)> {
        use super::weights::VectorRole as Role;
        let (attention, mlp) = (&self.attention, &self.mlp);
        let layer = self.norm.kind == NormKind::Layer;
        let (q, k) = match attention.qk_norm {
            QkNorm::None => (0, 0),
            QkNorm::Head => (attention.head_width, attention.head_width),
            QkNorm::Full => (attention.attended_width(), attention.kv_heads * attention.head_width),
        };
        let when = |wanted: bool, length: usize| if wanted { length } else { 0 };
        let own = self.has_mlp_norm();
        let all = [
            (Role::AttentionNorm, width),
            (Role::AttentionNormBias, when(layer, width)),
            (Role::QkvBias, when(attention.qkv_bias, attention.qkv_width())),
            (Role::QueryNorm, q),
            (Role::KeyNorm, k),
            (Role::OutBias, when(attention.out_bias, width)),
            (Role::MlpNorm, when(own, width)),
            (Role::MlpNormBias, when(own && layer, width)),
            (Role::UpBias, when(mlp.has_bias, mlp.up_rows())),
            (Role::DownBias, when(mlp.has_bias, width)),
        ];
        all.into_iter().filter(|(_, length)| *length > 0).collect()
    }
}
