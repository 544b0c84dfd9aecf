//! Fields in words, a table per kind of run. Capital letters stand for any part of a field's name.

/// One prompt. MEMBER is `emb`, `3a` or `3m`, or by its vote `opponent` or `loudest`. Depths are known where they were
/// read.
pub const LENS: &str = "
right | the right option
says | what the model says
plan | the order
lead | logit difference (logits)
percent.right | share of the right option among these (%)
percent.wrong | share of the others among these (%)
percent.of_all | probability of the right option among all tokens (%)
members | members
blocks | blocks run
alone | members whose largest vote is for the right option
alone_share | members whose largest vote is for the right option (%)
sum_error | what the members' sum is off by (logits)
largest_vote | the member with the largest vote
own_error | the model's own squared error (probabilities)
best_error | least error of a member (probabilities)
best_member | the member with the least error
beaten | members that err more than the mean
beaten_share | members that err more than the mean (%)
last_word | the last word
most_doubt | largest entropy at any depth (bits)
most_doubt_at | depth of the largest entropy
last_doubt | entropy at the last depth (bits)
uniform_doubt | entropy where all words are equally likely (bits)
same_winner | depths with the same likeliest word in both readings
members_of.KIND | members: {KIND}
member.MEMBER | {MEMBER}
block.MEMBER | block of {MEMBER}
vote.MEMBER | vote of {MEMBER} (logits)
lead_without.MEMBER | logit difference less the vote of {MEMBER} (logits)
moved.MEMBER | members behind {MEMBER} whose votes moved
share.KIND.COLUMN | part of the diversity by {KIND} (%, {COLUMN})
top.DEPTH | likeliest word at depth {DEPTH}
top_percent.DEPTH | probability of the likeliest word at depth {DEPTH} (%)
doubt.DEPTH | entropy at depth {DEPTH} (bits)
held_doubt.DEPTH | entropy at depth {DEPTH}, the final norm frozen (bits)
TERM.COLUMN | {TERM} ({COLUMN})
";

/// Capital letters of [`LENS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const LENS_LEGEND: &str = "MEMBER: emb, 3a, 3m, or by its vote opponent, loudest; \
    KIND: embedding, attention, mlp, bias; COLUMN: probability, logit, centred, paper; \
    TERM: mse, bias, diversity, residue, sum_of, difference_of; DEPTH: a number, or last";

/// Rows of tasks, each with `@MODEL` where several models are run. `mean` for TASK is over all tasks. `{ROWS}` is the
/// number of rows, where the step says it.
pub const CELLS: &str = "
accuracy.TASK | accuracy on {TASK} (%{ROWS})
accuracy.TASK.ORDER | accuracy on {TASK}, {ORDER} (%{ROWS})
above_chance.TASK | accuracy above chance on {TASK} (points{ROWS})
lost.TASK.ORDER | accuracy lost on {TASK}, {ORDER} (points{ROWS})
ahead.TASK.ORDER.OTHER_ORDER | accuracy on {TASK}, {ORDER} less {OTHER_ORDER} (points{ROWS})
differ.TASK.ORDER.OTHER_ORDER | answers on {TASK} that differ between {ORDER} and {OTHER_ORDER} (%{ROWS})
chance.TASK | chance on {TASK} (%)
majority.TASK | the most frequent answer on {TASK} (%)
uniform.TASK | MSE of equal probabilities on {TASK}
rows.mean | rows of each task
rows.TASK | rows of {TASK}
share.KIND.COLUMN.TASK | part of the diversity by {KIND} on {TASK} (%, {COLUMN})
reached.TASK | members until nearly all of {TASK} is right
reached_at.TASK | the member that brings nearly all of {TASK}
gain.first.TASK | accuracy that the first half of the components adds on {TASK} (points)
gain.second.TASK | accuracy that the second half of the components adds on {TASK} (points)
gain_more.TASK | accuracy added by the second half less by the first on {TASK} (points)
first_word.TASK | rows of {TASK} whose right answer is the likeliest of all tokens (%)
above_majority | tasks surely above one constant answer
tasks | tasks that were asked
dearest.TASK | the block whose removal costs most on {TASK}
dearest_place.TASK | place of the block whose removal costs most on {TASK} (% of the way)
dropped.TASK | blocks left out one at a time on {TASK}
free.TASK | blocks that cost less than five percentage points on {TASK}
TERM.COLUMN.TASK | {TERM} on {TASK} ({COLUMN})
TERM.COLUMN.TASK.ORDER | {TERM} on {TASK}, {ORDER} ({COLUMN})
";

/// Capital letters of [`CELLS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const CELLS_LEGEND: &str = "TASK: mean is over all tasks; ORDER: one of the step's, or drop:3, and behind ahead and \
    differ also own; KIND: embedding, attention, mlp, bias; COLUMN: probability, logit, centred, paper; \
    TERM: mse, bias, diversity, and without an ORDER residue; each with @MODEL where several models are run";

/// Whole sweeps over orders.
pub const SWEEPS: &str = "
runs | blocks run
from | first place of the middle
to | last place of the middle
gone | blocks of the short middle
at_chance | tasks at chance
best_rounds | rounds that keep most
harm | orders by what they keep
best | the order that keeps most
worst | the order that keeps least
best_by | by how much the best order is ahead (points)
best_by_rest | by how much it is ahead of what is neither shuffled nor looped (points)
worst_by | by how much the worst order is behind (points)
kept.MIDDLE | kept with {MIDDLE} (% of what the original order has above chance)
kept.MIDDLE.GROUP | kept with {MIDDLE} on {GROUP} (% of what the original order has above chance)
first_word.MIDDLE | rows whose right answer is the likeliest of all tokens with {MIDDLE} (%)
more.MIDDLE.OTHER_MIDDLE | kept with {MIDDLE}, less with {OTHER_MIDDLE} (points)
hardest.MIDDLE | the task that keeps least with {MIDDLE}
hardest_kept.MIDDLE | kept by the task that keeps least with {MIDDLE} (% of what the original order has above chance)
";

/// Capital letters of [`SWEEPS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const SWEEPS_LEGEND: &str = "MIDDLE: own, inside, outside, few, skip, repeat, reverse, shuffle, parallel, \
    loop-ROUNDS; the last six also few-MIDDLE; GROUP: one of the step's";

/// Votes of parts, and the losses without them. PART is `3a`, `3m` or `3h1`; looks are known where they were read.
pub const HEADS: &str = "
accuracy | accuracy (%)
rows | rows
parts | components
heads | heads that were left out
rank | rank correlation of vote and loss
largest_vote | the component with the largest vote
largest_vote_size | the largest vote (logits)
largest_vote_cost | loss without the largest vote (percentage points)
dearest | the component whose removal costs most
dearest_vote | vote of the component whose removal costs most (logits)
dearest_cost | loss without the component whose removal costs most (percentage points)
looking_head | the head that attends most to the right answer
looking_weight | largest weight of a head on the right answer
looking_cost | loss without the head that attends most to the right answer (percentage points)
needed_head | the head whose removal costs most
needed_head_cost | loss without the head whose removal costs most (percentage points)
needed_head_weight | weight on the right answer of the head whose removal costs most
vote.PART | vote of {PART} (logits)
cost.PART | loss without {PART} (percentage points)
loss.PART | loss of the logit difference without {PART} (logits)
";

/// Capital letters of [`HEADS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const HEADS_LEGEND: &str = "PART: 3a, 3m, 3h1; looks are known where they were read";

/// Linearised blocks, each with `@MODEL` where several models are run; swaps where costs were measured.
pub const COUPLING: &str = "
coupling.all | coupling of all pairs
coupling.twins | coupling of neighbours of the same weights
coupling.others | coupling of other neighbours
coupling.DISTANCE | coupling at a distance of {DISTANCE}
above_chance.DISTANCE | pairs above chance at a distance of {DISTANCE} (%)
chance | coupling by chance
k | directions compared
rows | rows
steps | steps of the way
line | line-shape score
walk | line-shape score of a random walk
line_share | line-shape score (% of a random walk's)
end_cosine | cosine of the linearised end with the true one
swap_r | correlation of coupling and cost, r
swap_r_without | r without the pair that matters most
swap_r_kept | r kept without that pair (%)
swap_point | the pair that matters most
";

/// Capital letters of [`COUPLING`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const COUPLING_LEGEND: &str = "DISTANCE: a number of places; swaps are known where costs were measured; each with \
    @MODEL where several models are run";

/// Made-up voters.
pub const VOTERS: &str = "
members | voters
single | error of a single voter
error.PERCENT | error of the mean, errors alike by {PERCENT} %
";

/// Capital letters of [`VOTERS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const VOTERS_LEGEND: &str = "PERCENT: a number, 50 for a half";

/// Gains from made-up members.
pub const GAINS: &str = "
gain.N | gain of member {N} (bits)
growing | members that add more than the one before
bits | information of all members (bits)
";

/// Capital letters of [`GAINS`].
#[cfg(any(feature = "cli", feature = "web"))]
pub const GAINS_LEGEND: &str = "N: a member, counted from 1";

/// Bases of directions drawn by chance.
pub const BASES: &str = "
k | directions compared
unlike | share of comparisons of unlike with unlike
chance | coupling by chance
";

/// Says what [`BASES`] is about: no part of its names stands for another.
#[cfg(any(feature = "cli", feature = "web"))]
pub const BASES_LEGEND: &str = "of bases drawn by chance";

/// Parts of names that stand for something else than themselves.
pub const PARTS: &str = "
KIND.embedding | the embedding
KIND.attention | attentions
KIND.mlp | MLPs
KIND.bias | the read-out's bias
COLUMN.probability | probabilities
COLUMN.logit | whole logits
COLUMN.centred | centred logits
COLUMN.paper | by the paper's formula
TERM.mse | MSE of the members' mean
TERM.bias | bias
TERM.diversity | diversity
TERM.residue | MSE less (bias − diversity)
TERM.sum_of | bias + diversity
TERM.difference_of | bias − diversity
";
