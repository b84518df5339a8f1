/** Metrics of what gateways share: Redis, the changes of others, and the cluster that they form. */

import type { ClusterSample } from '../../cluster/cluster-state.ts';

/** null: this gateway is not in a cluster. */
export interface ClusterMetricsSource {
  cluster(): ClusterSample | null;
  redisUp(): boolean;
  /** Whether changes of other processes arrive; true if there can be none. */
  changesFollowed(): boolean;
}

interface ClusterMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: (source: ClusterMetricsSource) => number;
}

export const CLUSTER_METRICS: readonly ClusterMetric[] = [
  {
    name: 'sluice_redis_up',
    help: '1 while Redis answers, or if none is configured',
    type: 'gauge',
    value: (s) => (s.redisUp() ? 1 : 0),
  },
  {
    name: 'sluice_changes_followed',
    help: '1 while changes of other gateways arrive, or if the database is a file',
    type: 'gauge',
    value: (s) => (s.changesFollowed() ? 1 : 0),
  },
  {
    name: 'sluice_cluster_nodes',
    help: 'Live nodes of the cluster, this one included; 0 without a cluster',
    type: 'gauge',
    value: (s) => s.cluster()?.nodes ?? 0,
  },
  {
    name: 'sluice_cluster_unreached_nodes',
    help: 'Live nodes to which this one has no link, so it cannot show their cameras; for a moment after a node joins or ends',
    type: 'gauge',
    value: (s) => s.cluster()?.unreached ?? 0,
  },
  {
    name: 'sluice_cluster_clock_difference_seconds',
    help: 'By how much the wall clock of another node differs most from that of this one, to 2 seconds',
    type: 'gauge',
    value: (s) => (s.cluster()?.clockDifferenceMs ?? 0) / 1_000,
  },
  {
    name: 'sluice_cluster_links',
    help: 'Open links between this node and others, of either direction',
    type: 'gauge',
    value: (s) => s.cluster()?.links ?? 0,
  },
  {
    name: 'sluice_cluster_link_waiting_bytes',
    help: 'Bytes that wait to be sent to other nodes',
    type: 'gauge',
    value: (s) => s.cluster()?.linkWaitingBytes ?? 0,
  },
  {
    name: 'sluice_cluster_leases_lost_total',
    help: 'Leases of cameras that ended while this node held them',
    type: 'counter',
    value: (s) => s.cluster()?.leasesLost ?? 0,
  },
  {
    name: 'sluice_cluster_takeovers_total',
    help: 'Cameras that this node took over from another one, or from an earlier run of its own',
    type: 'counter',
    value: (s) => s.cluster()?.takeovers ?? 0,
  },
  {
    name: 'sluice_cluster_handovers_total',
    help: 'Cameras with viewers that another node, at its drain or stop, handed over to this one',
    type: 'counter',
    value: (s) => s.cluster()?.handovers.handovers ?? 0,
  },
  {
    name: 'sluice_cluster_handover_gaps_total',
    help: 'Of these, cameras of which at least one picture is missing in between',
    type: 'counter',
    value: (s) => s.cluster()?.handovers.gaps ?? 0,
  },
  {
    name: 'sluice_cluster_handover_gap_seconds_total',
    help: 'How much video is missing in these gaps, as far as it is known',
    type: 'counter',
    value: (s) => (s.cluster()?.handovers.gapMs ?? 0) / 1_000,
  },
];

export interface RoleSample {
  readonly role: 'owner' | 'mirror';
  readonly cameras: number;
}

export const BY_ROLE = {
  labelNames: ['role'],
  samples: (source: ClusterMetricsSource): readonly RoleSample[] => {
    const sample = source.cluster();
    if (sample === null) return [];
    return [
      { role: 'owner', cameras: sample.owner },
      { role: 'mirror', cameras: sample.mirror },
    ];
  },
  labels: ({ role }: RoleSample) => ({ role }),
  metrics: [
    {
      name: 'sluice_cluster_cameras',
      help: 'Cameras that this node pulls (owner), or has from another node (mirror); no series without a cluster',
      type: 'gauge',
      value: ({ cameras }: RoleSample) => cameras,
    },
  ],
} as const;
