//! Does a figure grow with the runs, beyond what noise explains? Least squares over samples, and nothing else.

use std::fmt::Write as _;

use super::looked::{MEASURES, Sample};

/// The part of the samples in which a host may still warm up.
const WARM_UP: f64 = 0.2;
/// The runs after which an allocator has seen what it will see: before, memory says nothing.
const WARM_MEMORY: u64 = 2_500;
/// How much memory may grow in 1,000 runs, in KiB.
const MEMORY: f64 = 64.0;
/// The fewest samples through which a line is laid.
const LEAST: usize = 4;
/// By how many of its standard errors a slope must exceed the allowed one, to be no noise.
const SURE: f64 = 2.0;

/// A line through points: by how much it rises in 1,000 runs, and how far that may be from the truth.
#[derive(Clone, Copy, Debug)]
struct Slope {
    rise: f64,
    error: f64,
}

/// The slope of each figure, and whether all of them hold.
pub(super) fn judge(all: &[Sample]) -> (String, bool) {
    let warm = (all.len() as f64 * WARM_UP) as usize;
    let all = all.get(warm..).unwrap_or_default();
    if all.len() < LEAST {
        return ("too few samples to say anything\n".to_owned(), false);
    }
    let mut out = String::from("each 1,000 runs, after the warm-up:\n");
    let mut holds = true;
    for (name, value) in MEASURES {
        let (from, may) = if *name == "KiB" { (WARM_MEMORY, MEMORY) } else { (0, 0.0) };
        let points: Vec<(f64, f64)> = all
            .iter()
            .filter(|sample| sample.runs > from)
            .map(|sample| (sample.runs as f64 / 1000.0, value(sample) as f64))
            .collect();
        if points.len() < LEAST {
            let _ = writeln!(out, "{name:>12} was not judged: too few samples after {from} runs");
            continue;
        }
        let slope = fitted(&points);
        let grows =
            if may > 0.0 { slope.rise - SURE * slope.error > may } else { has_grown(&points) };
        holds &= !grows;
        let mark = if grows { "  <- GROWS" } else { "" };
        let _ = writeln!(
            out,
            "{name:>12} {:>+9.3} (+-{:.3}), at most {may}{mark}",
            slope.rise, slope.error
        );
    }
    (out, holds)
}

/// Whether a count is higher in the second half than it ever was in the first: what only moves up and down is no growth.
fn has_grown(points: &[(f64, f64)]) -> bool {
    let (first, second) = points.split_at(points.len() / 2);
    let least =
        |points: &[(f64, f64)]| points.iter().map(|pair| pair.1).fold(f64::INFINITY, f64::min);
    let most =
        |points: &[(f64, f64)]| points.iter().map(|pair| pair.1).fold(f64::NEG_INFINITY, f64::max);
    least(second) > least(first) || most(second) > most(first)
}

fn fitted(points: &[(f64, f64)]) -> Slope {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let rise = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>()
        / spread.max(f64::EPSILON);
    let left: f64 = points.iter().map(|point| (point.1 - y - rise * (point.0 - x)).powi(2)).sum();
    let error = (left / (count - 2.0).max(1.0) / spread.max(f64::EPSILON)).sqrt();
    Slope { rise, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_rise_is_growth_and_noise_is_not() {
        let points =
            |of: fn(usize) -> f64| (0..20).map(|at| (at as f64, of(at))).collect::<Vec<_>>();
        let rises = points(|at| 10.0 + 3.0 * at as f64);
        assert!((fitted(&rises).rise - 3.0).abs() < 1e-9 && fitted(&rises).error < 1e-6);
        assert!(has_grown(&rises));
        assert!(has_grown(&points(|at| if at < 15 { 4.0 } else { 5.0 })));
        assert!(!has_grown(&points(|_| 4.0)));
        assert!(!has_grown(&points(|at| (at % 2) as f64)));
    }
}
