/** Metrics of the service levels: histograms and counters that are kept elsewhere, of shares that are measured. */

import type { Registry } from 'prom-client';
import { goodOf } from '../../service-levels/attainment.ts';
import { GOAL_NAMES, type GoalName, type Goals, targetPercentOf } from '../../service-levels/goals.ts';
import { DELAY_BOUNDS_MS, FIRST_PICTURE_BOUNDS_MS } from '../../service-levels/histogram.ts';
import type { LevelBooks } from '../../service-levels/level-books.ts';
import { SLOTS } from '../../service-levels/level-history.ts';
import type { LevelSums } from '../../service-levels/level-sums.ts';
import { type LevelSource, REQUEST_ERRORS } from '../../service-levels/measurement.ts';
import type { ProbedShare } from '../../service-levels/probe-schedule.ts';

export interface ServiceMetricsSource {
  readonly levels: Pick<LevelBooks, 'shares' | 'overall' | 'goals'>;
  /** Shares that the synthetic viewer probed. */
  probed(): readonly ProbedShare[];
  process(): { readonly state: string; readonly starts: number };
  nameOf(shareUuid: string): string;
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Suffix of a histogram: `_bucket`, `_sum` or `_count` after the name. */
  readonly suffix?: string;
}

interface ServiceMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  readonly samples: (source: ServiceMetricsSource) => Sample[];
}

interface MeasuredShare {
  readonly labels: Labels;
  readonly sums: LevelSums;
}

const SOURCES: readonly LevelSource[] = ['probe', 'viewers'];
const SHARE_LABELS = ['share', 'name', 'source'] as const;
const MS_PER_SEC = 1_000;

export const SERVICE_METRICS: readonly ServiceMetric[] = [
  {
    name: 'sluice_service_first_picture_seconds',
    help: 'Time from asking for a link’s page to the first picture; one that never came is only in the bucket +Inf',
    type: 'histogram',
    labelNames: SHARE_LABELS,
    samples: (source) =>
      measuredShares(source).flatMap(({ labels, sums }) => {
        const counts = sums.firstPictureCounts;
        counts[counts.length - 1]! += sums.missingPictures;
        return histogram(labels, FIRST_PICTURE_BOUNDS_MS, counts, sums.firstPictureSumSec);
      }),
  },
  {
    name: 'sluice_service_delay_seconds',
    help: 'How far pictures were behind live, once for each second of playback',
    type: 'histogram',
    labelNames: SHARE_LABELS,
    samples: (source) =>
      measuredShares(source).flatMap(({ labels, sums }) =>
        histogram(labels, DELAY_BOUNDS_MS, sums.delayCounts, sums.delaySumSec),
      ),
  },
  ofShare('sluice_service_played_seconds_total', 'Seconds of playback', (sums) => sums.playedSec),
  ofShare(
    'sluice_service_stalled_seconds_total',
    'Seconds for which the picture stood still',
    (sums) => sums.stalledSec,
  ),
  ofShare('sluice_service_stalls_total', 'Times that the picture stood still', (sums) => sums.stalls),
  ofShare('sluice_service_requests_total', 'Requests, including failed ones', (sums) => sums.requests),
  {
    name: 'sluice_service_request_errors_total',
    help: `Requests that failed, by reason: ${REQUEST_ERRORS.join(', ')}; viewers report all as other`,
    type: 'counter',
    labelNames: [...SHARE_LABELS, 'reason'],
    samples: (source) =>
      measuredShares(source).flatMap(({ labels, sums }) =>
        REQUEST_ERRORS.filter((reason) => sums.errorsOf(reason) > 0).map((reason) => ({
          labels: { ...labels, reason },
          value: sums.errorsOf(reason),
        })),
      ),
  },
  ofShare(
    'sluice_service_measurements_total',
    'Runs of the synthetic viewer that count, or reports of viewers',
    (sums) => sums.measurements,
  ),
  {
    name: 'sluice_service_runs_total',
    help: 'Runs of the synthetic viewer, by how they ended: played, refused, camera-offline, sound-only, failed, lost',
    type: 'counter',
    labelNames: ['share', 'name', 'ending'],
    samples: (source) =>
      source.probed().flatMap(({ shareUuid, name, endings }) =>
        Object.entries(endings).map(([ending, value]) => ({
          labels: { share: shareUuid, name: source.nameOf(shareUuid) || name, ending },
          value,
        })),
      ),
  },
  {
    name: 'sluice_service_protocol_info',
    help: 'Always 1; `protocol` is h2 or http/1.1, as the last run of the synthetic viewer that got a response used it',
    type: 'gauge',
    labelNames: ['share', 'name', 'protocol'],
    samples: (source) =>
      source.probed().flatMap(({ shareUuid, name, runs }) => {
        const protocol = runs.find((run) => run.protocol !== null)?.protocol ?? null;
        if (protocol === null) return [];
        return [{ labels: { share: shareUuid, name: source.nameOf(shareUuid) || name, protocol }, value: 1 }];
      }),
  },
  {
    name: 'sluice_service_attained_ratio',
    help: 'How much of the last 24 hours was as good as the goal says: firstPicture, delay, stalls, errors; of all shares',
    type: 'gauge',
    labelNames: ['goal', 'source'],
    samples: ({ levels }) =>
      SOURCES.flatMap((source) => {
        const day = levels.overall(source).recent(SLOTS);
        return GOAL_NAMES.flatMap((goal) => {
          const { good, all } = goodOf(goal, day);
          return all <= 0 ? [] : [{ labels: { goal, source }, value: good / all }];
        });
      }),
  },
  {
    name: 'sluice_service_goal_ratio',
    help: 'How much has to be good, as configured',
    type: 'gauge',
    labelNames: ['goal'],
    samples: ({ levels }) => GOAL_NAMES.map((goal) => goalSample(goal, levels.goals)),
  },
  {
    name: 'sluice_service_probe_up',
    help: '1 while the process of the synthetic viewer runs; absent if no share is chosen',
    type: 'gauge',
    labelNames: [],
    samples: (source) => {
      const { state } = source.process();
      return state === 'off' ? [] : [{ labels: {}, value: state === 'running' ? 1 : 0 }];
    },
  },
  {
    name: 'sluice_service_probe_starts_total',
    help: 'Starts of the process of the synthetic viewer; more than one means that it failed',
    type: 'counter',
    labelNames: [],
    samples: (source) => [{ labels: {}, value: source.process().starts }],
  },
];

export function registerServiceMetrics(registry: Registry, source: ServiceMetricsSource): void {
  for (const metric of SERVICE_METRICS) registry.registerMetric(collected(metric, source));
}

/** prom-client's histograms count by themselves. This one is read when it is rendered. */
function collected(
  { name, help, type, samples }: ServiceMetric,
  source: ServiceMetricsSource,
): Parameters<Registry['registerMetric']>[0] {
  const metric = {
    name,
    get: async () => ({
      name,
      help,
      type,
      aggregator: 'sum',
      values: samples(source).map(({ labels, value, suffix }) => ({
        labels,
        value,
        ...(suffix === undefined ? {} : { metricName: name + suffix }),
      })),
    }),
    reset: () => undefined,
  };
  return metric as unknown as Parameters<Registry['registerMetric']>[0];
}

function measuredShares({ levels, nameOf }: ServiceMetricsSource): MeasuredShare[] {
  return SOURCES.flatMap((source) =>
    [...levels.shares(source)].map(([share, { total }]) => ({
      labels: { share, name: nameOf(share), source },
      sums: total,
    })),
  );
}

function ofShare(name: string, help: string, value: (sums: LevelSums) => number): ServiceMetric {
  return {
    name,
    help,
    type: 'counter',
    labelNames: SHARE_LABELS,
    samples: (source) => measuredShares(source).map(({ labels, sums }) => ({ labels, value: value(sums) })),
  };
}

function goalSample(goal: GoalName, goals: Goals): Sample {
  return { labels: { goal }, value: targetPercentOf(goal, goals) / 100 };
}

function histogram(
  labels: Labels,
  boundsMs: readonly number[],
  counts: readonly number[],
  sumSec: number,
): Sample[] {
  let count = 0;
  const buckets = counts.map((inBucket, index): Sample => {
    count += inBucket;
    const bound = boundsMs[index];
    const le = bound === undefined ? '+Inf' : String(bound / MS_PER_SEC);
    return { labels: { ...labels, le }, value: count, suffix: '_bucket' };
  });
  return [...buckets, { labels, value: sumSec, suffix: '_sum' }, { labels, value: count, suffix: '_count' }];
}
