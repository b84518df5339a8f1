/** Metrics of the clocks of open camera streams. */

import type { ClockReading } from '../../rtp/camera-clock.ts';

/** A camera stream whose clocks were read. */
export interface ClockSample {
  readonly camera: string;
  readonly name: string;
  readonly profile: string;
  readonly reading: ClockReading;
}

/** Figures of the hub. */
export interface ClockMetricsSource {
  clocks(): readonly ClockSample[];
}

interface ClockMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge';
  /** null: not known, so without a series. */
  readonly value: (sample: ClockSample) => number | null;
}

const CLOCK_METRICS: readonly ClockMetric[] = [
  {
    name: 'sluice_camera_clock_drift_ppm',
    help: "By how much the clock of a camera's frames is fast, parts per million",
    type: 'gauge',
    value: ({ reading: { driftPpm } }) => driftPpm,
  },
  {
    name: 'sluice_camera_clock_uncertainty_seconds',
    help: 'How far the arrival of frames strays from a steady clock, and so EXT-X-PROGRAM-DATE-TIME with it',
    type: 'gauge',
    value: ({ reading: { uncertaintyMs } }) => (uncertaintyMs === null ? null : uncertaintyMs / 1_000),
  },
  {
    name: 'sluice_camera_clock_offset_seconds',
    help: "The camera's wall clock, from its sender reports, minus ours",
    type: 'gauge',
    value: ({ reading: { offsetMs } }) => (offsetMs === null ? null : offsetMs / 1_000),
  },
  {
    name: 'sluice_camera_clock_jumps',
    help: "Jumps of the camera's clocks since its connection was opened",
    type: 'gauge',
    value: ({ reading: { jumps } }) => jumps,
  },
  {
    name: 'sluice_camera_clock_sane',
    help: "1 if the camera's wall clock is fit to date its frames",
    type: 'gauge',
    value: ({ reading: { verdict } }) => (verdict === 'sane' ? 1 : 0),
  },
  {
    name: 'sluice_camera_clock_used',
    help: "1 while the camera's wall clock dates its frames",
    type: 'gauge',
    value: ({ reading: { cameraTime } }) => (cameraTime === null ? 0 : 1),
  },
];

export const BY_CLOCK = {
  labelNames: ['camera', 'name', 'profile'],
  samples: (sources: ClockMetricsSource) => sources.clocks(),
  labels: ({ camera, name, profile }: ClockSample) => ({ camera, name, profile }),
  metrics: CLOCK_METRICS,
};
