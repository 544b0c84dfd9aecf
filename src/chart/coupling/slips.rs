//! What is printed or released of the paper and is not what it says, one sentence each, for the picture
//! concerned.

/// Of the map.
pub const METRICS: &str = "The paper's text and its released code use different metrics, here each under its own name, and its \
                           project page prints the code's without the absolute values.";
/// Of the number of vectors.
pub const VECTORS: &str = "The paper names no K for its figures, while its code takes 5 to 20 in one place and 10 to 50 in another, \
                           and its demonstration loads models in 4 bits.";
/// Of two steps' directions.
pub const SIGNS: &str = "The paper's random SVD finds U and V apart, so that the signs of their vectors do not belong together, and \
                         its metric then reads V as if it were V transposed; here both come from one decomposition.";
/// Of maps between tokens.
pub const IDENTITY: &str = "The paper's code takes the Jacobian of a block with its skip and subtracts the identity, which is right \
                            only from a token to itself; here the skip is left out from the beginning.";
/// Of the linearised path.
pub const LAST_BLOCK: &str = "The paper's code counts the final norm to its last block, and its older script leaves that block out \
                              and ends beside a normed state; here every step is in, and the final norm is not.";
/// Of the linearised path.
pub const LINEAR: &str = "This path proves little: the paper's appendix takes f(x) for J x, but what a norm lets through does not grow with \
                          its input, so that (I + J) x is not x + f(x) even for one step, and this cosine is no test of coupling.";
