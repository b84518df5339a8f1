/** Metrics of the memory that all cameras share for live video. */

export interface MemoryMetricsSource {
  /** In bytes. */
  mediaBlocks(): { readonly used: number; readonly free: number };
}

interface MemoryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge';
  readonly value: (source: MemoryMetricsSource) => number;
}

export const MEMORY_METRICS: readonly MemoryMetric[] = [
  {
    name: 'sluice_media_blocks_used_bytes',
    help: 'Memory that holds live video, in whole blocks that all cameras share',
    type: 'gauge',
    value: (s) => s.mediaBlocks().used,
  },
  {
    name: 'sluice_media_blocks_free_bytes',
    help: 'Memory kept for live video to come',
    type: 'gauge',
    value: (s) => s.mediaBlocks().free,
  },
];
