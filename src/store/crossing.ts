/**
 * Threshold crossings and occupancy counts: events by the million, so they have tables of their own with integer
 * columns, and are counted where they lie. Reporters name each one; an id that the device has used adds nothing.
 */

import type { Ruuid } from '../core/ruuid.ts';

/** In the order of the numbers under which the database keeps them; append only. */
export const CROSSING_OBJECTS = ['HUMAN', 'VEHICLE', 'FACE', 'LPR', 'POSE', 'CLIP_EMBED', 'UNKNOWN'] as const;
export type CrossingObject = (typeof CROSSING_OBJECTS)[number];

/** In the order of the numbers under which the database keeps them. */
export const CROSSING_DIRECTIONS = ['INGRESS', 'EGRESS'] as const;
export type CrossingDirection = (typeof CROSSING_DIRECTIONS)[number];

/** A device, or one facet of it. */
export interface ReportingDevice {
  readonly deviceUuid: Ruuid;
  /** '', `v0`…; in a query '' stands for every facet. */
  readonly facet: string;
}

/** What a device's facet names a report by. */
export interface ReportName extends ReportingDevice {
  readonly id: string;
}

export interface Crossing extends ReportingDevice {
  /** As the device named it; unique among the crossings of the device's facet. At most 128 characters. */
  readonly id: string;
  readonly atMs: number;
  readonly object: CrossingObject;
  /** What the device tracks the object by; 0 to 2^31 - 1. */
  readonly objectId: number;
  readonly direction: CrossingDirection;
}

/** Where a page of crossings begins: behind this one in the order of time. */
export interface CrossingMark {
  readonly atMs: number;
  readonly id: string;
  readonly facet: string;
}

export interface CrossingQuery {
  readonly device: ReportingDevice;
  /** Absent: every kind of object. */
  readonly object?: CrossingObject;
  /** Half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: CrossingMark | null;
  readonly limit: number;
}

/** Buckets of one length that follow each other without a gap. */
export interface BucketRun {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly count: number;
}

export interface BucketQuery {
  /** null: every device of the organisation. */
  readonly devices: readonly ReportingDevice[] | null;
  /** Half-open; what lies outside is not counted even where a bucket reaches further. */
  readonly fromMs: number;
  readonly toMs: number;
  /** In order, none overlaps. */
  readonly runs: readonly BucketRun[];
}

export interface CrossingCountQuery extends BucketQuery {
  readonly object?: CrossingObject;
  /** Counts an object of a device once per bucket and direction. */
  readonly isDeduplicated: boolean;
}

export interface CrossingCount {
  readonly bucketStartMs: number;
  readonly ingressCount: number;
  readonly egressCount: number;
}

export interface CrossingRepository {
  /** Adds those that are not known yet, all in one transaction; at most 1,000. Resolves with how many were new. */
  add(orgUuid: Ruuid, crossings: readonly Crossing[]): Promise<number>;
  /** Those of the reports that there are, at most 1,000, in no order. */
  findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<Crossing[]>;
  /** Oldest first. */
  page(orgUuid: Ruuid, query: CrossingQuery): Promise<Crossing[]>;
  /** Buckets in which something crossed, in order. */
  counts(orgUuid: Ruuid, query: CrossingCountQuery): Promise<CrossingCount[]>;
  /**
   * Removes what is from before `beforeMs`, quarter hour by quarter hour: one that reaches beyond it stays whole. At
   * most about `limit` rows; resolves with how many, 0 when nothing is left.
   */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
}

export interface OccupancyCount extends ReportingDevice {
  readonly id: string;
  readonly atMs: number;
  /** How many were there at that moment. */
  readonly count: number;
}

export interface OccupancyPeak {
  readonly bucketStartMs: number;
  readonly count: number;
  /** The first moment at which that many were reported. */
  readonly atMs: number;
  readonly device: ReportingDevice;
}

export interface OccupancyRepository {
  /** As `CrossingRepository.add`. */
  add(orgUuid: Ruuid, counts: readonly OccupancyCount[]): Promise<number>;
  /** As `CrossingRepository.findAll`. */
  findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<OccupancyCount[]>;
  /** The highest count of each facet in each bucket that has any, in order of the buckets. */
  peaks(orgUuid: Ruuid, query: BucketQuery): Promise<OccupancyPeak[]>;
  /** At most `limit`. Resolves with how many. */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  hasReported(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<boolean>;
}
