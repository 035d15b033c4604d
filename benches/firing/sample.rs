//! How figures are taken and shown: medians and 99th percentiles, in turn with their baseline. Measures nothing itself.

use std::fmt;
use std::time::{Duration, Instant};

/// The durations of one thing, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample(Vec<Duration>);

impl Sample {
    /// The durations of `run`, called `times` times after a tenth as many that do not count.
    pub(crate) fn take(times: usize, mut run: impl FnMut()) -> Self {
        (0..times / 10).for_each(|_| run());
        Self::from_durations((0..times).map(|_| time(&mut run)).collect())
    }

    /// Two things in turn, so that a machine whose speed drifts is fair to both.
    pub(crate) fn pair(
        times: usize,
        mut one: impl FnMut(),
        mut other: impl FnMut(),
    ) -> (Self, Self) {
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        for round in 0..times + times / 10 {
            let (a, b) = (time(&mut one), time(&mut other));
            if round >= times / 10 {
                ones.push(a);
                others.push(b);
            }
        }
        (Self::from_durations(ones), Self::from_durations(others))
    }

    /// Two things in turn, with `settle` before each: it waits until what went before is done with.
    pub(crate) fn paced(
        times: usize,
        settle: impl Fn(),
        mut one: impl FnMut(),
        mut other: impl FnMut(),
    ) -> (Self, Self) {
        let paced = |run: &mut dyn FnMut()| {
            settle();
            time(&mut || run())
        };
        let pairs = (0..times).map(|_| (paced(&mut one), paced(&mut other)));
        let (ones, others) = pairs.unzip();
        (Self::from_durations(ones), Self::from_durations(others))
    }

    /// A sample of durations that were taken elsewhere.
    pub(crate) fn from_durations(mut durations: Vec<Duration>) -> Self {
        durations.sort_unstable();
        Self(durations)
    }

    /// The middle one.
    pub(crate) fn median(&self) -> Duration {
        self.at(50)
    }

    fn at(&self, percent: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0.get(last * percent / 100).copied().unwrap_or_default()
    }
}

fn time(run: &mut impl FnMut()) -> Duration {
    let began = Instant::now();
    run();
    began.elapsed()
}

/// One line of the table.
struct Row {
    name: String,
    /// The measurement, or why there is no figure.
    figure: Figure,
    baseline: Option<Baseline>,
    reach: String,
}

/// One figure of the table.
enum Figure {
    Taken(Sample),
    Skipped { reason: String },
}

/// What a figure is held against.
struct Baseline {
    words: String,
    median: Duration,
    beside: Beside,
}

/// What a row says beside the ratio of the medians.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    /// The baseline's 99th percentile: the row is about the tail, too.
    Tail(Duration),
    /// By how much it takes longer.
    More,
}

/// What was measured.
#[derive(Default)]
pub(crate) struct Table(Vec<Row>);

impl Table {
    /// Adds a figure that stands for itself.
    pub(crate) fn add(&mut self, name: impl Into<String>, sample: Sample, reach: &str) {
        self.row(name, Figure::Taken(sample), None, reach);
    }

    /// Adds a figure with what it is held against.
    pub(crate) fn against(
        &mut self,
        name: impl Into<String>,
        sample: Sample,
        (words, median): (&str, Duration),
        reach: &str,
    ) {
        let baseline = Baseline { words: words.to_owned(), median, beside: Beside::Nothing };
        self.row(name, Figure::Taken(sample), Some(baseline), reach);
    }

    /// Adds a figure with what it is held against, and how much more it is.
    pub(crate) fn more(
        &mut self,
        name: impl Into<String>,
        sample: Sample,
        (words, median): (&str, Duration),
        reach: &str,
    ) {
        let baseline = Baseline { words: words.to_owned(), median, beside: Beside::More };
        self.row(name, Figure::Taken(sample), Some(baseline), reach);
    }

    /// Adds a figure with a sample that it is held against, the slowest of the one against the slowest of the other too.
    pub(crate) fn beside(
        &mut self,
        name: impl Into<String>,
        sample: Sample,
        (words, other): (&str, Sample),
        reach: &str,
    ) {
        let (median, beside) = (other.median(), Beside::Tail(other.at(99)));
        let baseline = Baseline { words: words.to_owned(), median, beside };
        self.row(name, Figure::Taken(sample), Some(baseline), reach);
    }

    /// Adds the place of a figure that could not be taken, and why.
    pub(crate) fn skip(&mut self, name: impl Into<String>, why: &str, reach: &str) {
        self.row(name, Figure::Skipped { reason: why.to_owned() }, None, reach);
    }

    fn row(
        &mut self,
        name: impl Into<String>,
        figure: Figure,
        baseline: Option<Baseline>,
        reach: &str,
    ) {
        self.0.push(Row { name: name.into(), figure, baseline, reach: reach.to_owned() });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let os = (std::env::consts::OS, std::env::consts::ARCH);
        writeln!(
            f,
            "{} {}, {cores} cores; medians, 99th percentiles, ratios of medians\n",
            os.0, os.1
        )?;
        writeln!(f, "{:<44} {:>10} {:>10}  {:<36} reach", "what", "median", "p99", "ratio")?;
        for Row { name, figure, baseline, reach } in &self.0 {
            let sample = match figure {
                Figure::Taken(sample) => sample,
                Figure::Skipped { reason } => {
                    writeln!(f, "{name:<44} skipped: {reason}")?;
                    continue;
                }
            };
            let ratio =
                baseline.as_ref().map_or_else(String::new, |baseline| baseline.ratio(sample));
            let (median, p99) = (short(sample.median()), short(sample.at(99)));
            let row = format!("{name:<44} {median:>10} {p99:>10}  {ratio:<36} {reach}");
            writeln!(f, "{}", row.trim_end())?;
        }
        Ok(())
    }
}

impl Baseline {
    fn ratio(&self, sample: &Sample) -> String {
        let times = |ours: Duration, base: Duration| {
            format!("{:.2}x", ours.as_secs_f64() / base.as_secs_f64().max(f64::EPSILON))
        };
        let Self { words, median, beside } = self;
        let of_medians = times(sample.median(), *median);
        match beside {
            Beside::Nothing => format!("{of_medians} {words} ({})", short(*median)),
            Beside::More => {
                let more = sample.median().saturating_sub(*median);
                format!("{of_medians}, +{} {words} ({})", short(more), short(*median))
            }
            Beside::Tail(tail) => {
                let of_tails = times(sample.at(99), *tail);
                format!(
                    "{of_medians}, p99 {of_tails} {words} ({}, {})",
                    short(*median),
                    short(*tail)
                )
            }
        }
    }
}

fn short(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        0.0..1_000.0 => format!("{micros:.2} us"),
        1_000.0..1_000_000.0 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}
