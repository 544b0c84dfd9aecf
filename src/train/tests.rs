use candle_core::{D, DType, Device, Result, Tensor, Var};

use super::batch::TrainingBatch;
use super::network::Network;
use super::shape::{RMS_NORM_EPS, ROPE_THETA, Shape};
use super::weights::{StepWeights, TurnedModel};
use super::*;

fn small(repeats: usize) -> Shape {
    Shape { mlp_width: 48, ..family::shape(2, repeats, 32) }
}

fn recipe(tokens: u64) -> Recipe {
    Recipe { shape: small(1), seed: 5, tokens, batch: 8, rate: 1e-2, initial_std: 0.1 }
}

/// The plain graph in candle: the sum over rows of `weight * cross-entropy * scale`.
fn plain_loss(
    shape: &Shape,
    parameters: &Tensor,
    batch: &TrainingBatch,
    scale: f64,
) -> Result<Tensor> {
    let layout = shape.layout();
    let (d, e, h, g) = (shape.width, shape.head_width(), shape.heads, shape.kv_heads);
    let matrix = |range: &std::ops::Range<usize>, columns: usize| {
        parameters.narrow(0, range.start, range.len())?.reshape((range.len() / columns, columns))
    };
    let norm = |x: &Tensor, gain: &std::ops::Range<usize>| {
        let mean = x.sqr()?.mean_keepdim(D::Minus1)?;
        let x = x.broadcast_div(&(mean + f64::from(RMS_NORM_EPS))?.sqrt()?)?;
        x.broadcast_mul(&parameters.narrow(0, gain.start, gain.len())?)
    };
    let mut total = Tensor::zeros((), DType::F32, &Device::Cpu)?;
    for row in batch.starts.windows(2) {
        let t = row[1] - row[0];
        let ids = Tensor::new(&batch.tokens[row[0]..row[1]], &Device::Cpu)?;
        let targets = Tensor::new(&batch.targets[row[0]..row[1]], &Device::Cpu)?;
        let weights = Tensor::new(&batch.weights[row[0]..row[1]], &Device::Cpu)?;
        let angles: Vec<f32> = (0..t * e / 2)
            .map(|at| {
                (at / (e / 2)) as f32 * ROPE_THETA.powf(-((at % (e / 2)) as f32) / (e / 2) as f32)
            })
            .collect();
        let angles = Tensor::from_vec(angles, (t, e / 2), &Device::Cpu)?;
        let (cos, sin) = (angles.cos()?, angles.sin()?);
        let turn = |x: &Tensor| {
            let (a, b) = (x.narrow(D::Minus1, 0, e / 2)?, x.narrow(D::Minus1, e / 2, e / 2)?);
            let first = (a.broadcast_mul(&cos)? - b.broadcast_mul(&sin)?)?;
            let second = (b.broadcast_mul(&cos)? + a.broadcast_mul(&sin)?)?;
            Tensor::cat(&[first, second], D::Minus1)
        };
        let mask: Vec<f32> =
            (0..t * t).map(|at| if at % t > at / t { f32::NEG_INFINITY } else { 0.0 }).collect();
        let mask = Tensor::from_vec(mask, (t, t), &Device::Cpu)?;
        let embedding = matrix(&layout.embedding, d)?;
        let mut x = embedding.index_select(&ids, 0)?;
        for run in 0..shape.runs() {
            let block = &layout.blocks[run / shape.repeats];
            let qkv = norm(&x, &block.attention_norm)?.matmul(&matrix(&block.qkv, d)?.t()?)?;
            // [heads, T, E]
            let heads = |from: usize, count: usize| {
                qkv.narrow(1, from * e, count * e)?
                    .reshape((t, count, e))?
                    .transpose(0, 1)?
                    .contiguous()
            };
            let (q, k, v) = (turn(&heads(0, h)?)?, turn(&heads(h, g)?)?, heads(h + g, g)?);
            let mut mixed = Vec::new();
            for head in 0..h {
                let scores =
                    (q.get(head)?.matmul(&k.get(head * g / h)?.t()?)? / (e as f64).sqrt())?;
                let probabilities = candle_nn::ops::softmax(&(scores + &mask)?, D::Minus1)?;
                mixed.push(probabilities.matmul(&v.get(head * g / h)?)?);
            }
            x = (x + Tensor::cat(&mixed, 1)?.matmul(&matrix(&block.attention_out, d)?.t()?)?)?;
            let both = norm(&x, &block.mlp_norm)?.matmul(&matrix(&block.gate_up, d)?.t()?)?;
            let f = shape.mlp_width;
            let activated = (both.narrow(1, 0, f)?.silu()? * both.narrow(1, f, f)?)?;
            x = (x + activated.matmul(&matrix(&block.down, f)?.t()?)?)?;
        }
        let logits = norm(&x, &layout.final_norm)?.matmul(&embedding.t()?)?;
        let log_p = candle_nn::ops::log_softmax(&logits, D::Minus1)?;
        let picked = log_p.gather(&targets.unsqueeze(1)?, 1)?.squeeze(1)?;
        total = (total - (picked * weights)?.sum_all()?)?;
    }
    total * scale
}

#[test]
fn gradients_are_those_of_candles_autograd() {
    for repeats in [1, 2] {
        let shape = small(repeats);
        let mut parameters = shape.initialise(0.3, 9);
        // Norm gains away from one, so that a gradient that forgets them is seen.
        for (at, parameter) in parameters.iter_mut().enumerate() {
            *parameter *= 1.0 + 0.1 * ((at % 7) as f32 - 3.0);
        }
        // Rows of several lengths, some past one chunk of keys.
        let batch = TrainingBatch::of(&curriculum::draw(3, 0, 1.0, 12)).expect("a batch");
        let mut ours = vec![0f32; parameters.len()];
        let turned = TurnedModel::of(&shape, &parameters);
        let weights = StepWeights { parameters: &parameters, turned: &turned };
        let loss = Network::new(shape).gradient(weights, &batch, 0.01, &mut ours) * 0.01;

        let theirs =
            Var::from_slice(&parameters, parameters.len(), &Device::Cpu).expect("a variable");
        let plain = plain_loss(&shape, theirs.as_tensor(), &batch, 0.01).expect("a loss");
        let plain_value = f64::from(plain.to_scalar::<f32>().expect("a number"));
        assert!((loss - plain_value).abs() < 1e-4 * plain_value, "{loss} {plain_value}");
        let gradients = plain.backward().expect("gradients");
        let theirs = gradients
            .get(theirs.as_tensor())
            .expect("a gradient")
            .to_vec1::<f32>()
            .expect("numbers");

        let layout = shape.layout();
        let mut ranges = vec![layout.embedding.clone(), layout.final_norm.clone()];
        for block in &layout.blocks {
            ranges.extend(
                [&block.attention_norm, &block.qkv, &block.attention_out].map(Clone::clone),
            );
            ranges.extend([&block.mlp_norm, &block.gate_up, &block.down].map(Clone::clone));
        }
        for range in ranges {
            let size = theirs[range.clone()].iter().fold(0f32, |most, value| most.max(value.abs()));
            for at in range.clone() {
                assert!(
                    (ours[at] - theirs[at]).abs() < 1e-3 * size,
                    "{range:?} {at}: {} {}",
                    ours[at],
                    theirs[at]
                );
            }
        }
    }
}

#[test]
fn a_training_learns_and_repeats_bit_for_bit() {
    let train = || {
        // It stays in the first phase of what is met: later ones begin with larger losses.
        let mut trainer = Trainer::new(recipe(4_000_000));
        let mut losses = Vec::new();
        while !trainer.finished() && trainer.tokens_seen < 40_000 {
            losses.push(trainer.step().expect("a step").loss);
        }
        (losses, trainer.parameters)
    };
    let (losses, parameters) = train();
    assert!(losses[losses.len() - 1] < 0.6 * losses[0], "{losses:?}");
    assert_eq!(parameters, train().1);
}

/// Parts are of the batch, not of the threads there are.
#[test]
fn the_number_of_threads_changes_no_bit() {
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads").install(|| {
            let mut trainer = Trainer::new(recipe(3_000));
            while !trainer.finished() {
                trainer.step().expect("a step");
            }
            trainer.parameters
        })
    };
    let alone = train(1);
    assert_eq!(alone, train(2));
    assert_eq!(alone, train(5));
}

#[test]
fn a_batch_in_parts_is_the_batch() {
    let batch = TrainingBatch::of(&curriculum::draw(4, 2, 1.0, 13)).expect("a batch");
    let longest = batch.starts.windows(2).map(|row| row[1] - row[0]).max();
    let longest = longest.expect("rows");
    for count in [1, 2, 5, 100] {
        let parts = batch.parts(count);
        assert!(parts.len() <= count);
        let mut joined = TrainingBatch { starts: vec![0], ..TrainingBatch::default() };
        for part in &parts {
            let first = joined.tokens.len();
            joined.tokens.extend(&part.tokens);
            joined.targets.extend(&part.targets);
            joined.weights.extend(&part.weights);
            assert_eq!(part.starts[0], 0);
            let starts = part.starts[1..].iter().map(|start| first + start);
            joined.starts.extend(starts);
            assert!(part.tokens.len() <= batch.tokens.len() / count + longest);
        }
        assert_eq!(joined, batch);
    }
}

#[test]
fn an_interrupted_training_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut whole = Trainer::new(recipe(20_000));
    while !whole.finished() {
        whole.step().expect("a step");
    }
    let mut first = Trainer::new(recipe(20_000));
    while first.progress() < 0.4 {
        first.step().expect("a step");
    }
    first.save(folder.path()).expect("a state");
    drop(first);
    let mut second = Trainer::resume(folder.path(), recipe(20_000)).expect("the state");
    while !second.finished() {
        second.step().expect("a step");
    }
    assert_eq!(whole.parameters, second.parameters);
    assert_eq!(whole.optimiser, second.optimiser);

    let other = Recipe { seed: 6, ..recipe(20_000) };
    let refused = Trainer::resume(folder.path(), other).err().expect("a refusal").to_string();
    assert!(refused.contains("the seed differs"), "{refused}");
    std::fs::write(folder.path().join(state::FILE), b"short").expect("a spoilt file");
    assert!(Trainer::resume(folder.path(), recipe(20_000)).is_err());
}

/// A last step whose gradient is none would write a model of NaN.
#[test]
fn a_gradient_that_is_no_number_ends_the_training() {
    let mut trainer = Trainer::new(recipe(1));
    let block = &trainer.recipe.shape.layout().blocks[1];
    // Gates of 0 let nothing through forwards; backwards, what lies behind them is too large.
    let (gate, up) =
        trainer.parameters[block.gate_up.clone()].split_at_mut(block.gate_up.len() / 2);
    gate.fill(0.0);
    up.fill(1e6);
    trainer.parameters[block.down.clone()].fill(3e38);
    let error = trainer.step().expect_err("no number");
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
}

#[test]
fn rows_in_a_batch_do_not_see_each_other() {
    let shape = small(1);
    let parameters = shape.initialise(0.3, 2);
    let turned = TurnedModel::of(&shape, &parameters);
    let weights = StepWeights { parameters: &parameters, turned: &turned };
    let rows = curriculum::draw(8, 1, 1.0, 5);
    let mut network = Network::new(shape);
    let together = TrainingBatch::of(&rows).expect("a batch");
    let together = network.next_token_logits(weights, &together.tokens, &together.starts);
    for (row, logits) in rows.iter().zip(together) {
        let alone = TrainingBatch::of(std::slice::from_ref(row)).expect("a batch");
        let alone = network.next_token_logits(weights, &alone.tokens, &alone.starts).remove(0);
        for (a, b) in alone.iter().zip(logits) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }
}
