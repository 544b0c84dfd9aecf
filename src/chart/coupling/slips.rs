//! Slips of the paper, its code and its page, in sentences for the pictures concerned.

/// Shown with the map.
pub const METRICS: &str = "The paper's text and its code use different metrics. Both are here, each under its \
 own name. The project page prints the code's without the absolute values.";
/// Shown with the map, on the number of vectors.
pub const VECTORS: &str = "The paper names no K for its figures. Its code takes 5 to 20 in one script and 10 to \
 50 in another. Its demonstration loads models in 4 bits.";
/// Shown with two steps' directions.
pub const SIGNS: &str = "The paper's random SVD finds U and V apart, so the signs of their vectors do not belong \
 together. Its metric then reads V as if it were V transposed. Here both come from one decomposition.";
/// Shown with maps between tokens.
pub const IDENTITY: &str = "The paper's code takes the Jacobian of a block with its skip, and subtracts the \
 identity. That is right only from a token to itself. Here the skip is left out from the beginning.";
/// Shown with the linearised path, on its last step.
pub const LAST_BLOCK: &str = "The paper's code counts the final norm to its last block. Its older script leaves \
 that block out. Here every step is in, and the final norm is not.";
/// Shown with the linearised path.
pub const LINEAR: &str = "This path proves little. The paper's appendix takes f(x) for J x, but the output of a \
 norm does not grow with its input. So (I + J) x is not x + f(x) even for one step, and this cosine does not \
 test coupling.";
