/**
 * Threshold crossings and occupancy counts. There are millions of them, so they have their own tables with integer
 * columns and are counted in the database. Reporters give each one an id; an id that the device has used adds nothing.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { UseBound } from './stored-use.ts';

/** In the order of their numbers in the database; append only. */
export const CROSSING_OBJECTS = ['HUMAN', 'VEHICLE', 'FACE', 'LPR', 'POSE', 'CLIP_EMBED', 'UNKNOWN'] as const;
export type CrossingObject = (typeof CROSSING_OBJECTS)[number];

/** In the order of their numbers in the database. */
export const CROSSING_DIRECTIONS = ['INGRESS', 'EGRESS'] as const;
export type CrossingDirection = (typeof CROSSING_DIRECTIONS)[number];

/** A device, or one facet of it. */
export interface ReportingDevice {
  readonly deviceUuid: Ruuid;
  /** '', `v0`…; in a query, '' means every facet. */
  readonly facet: string;
}

/** Identifies a report of a device's facet. */
export interface ReportName extends ReportingDevice {
  readonly id: string;
}

export interface Crossing extends ReportingDevice {
  /** The device's name for it; unique among the crossings of the device's facet. At most 128 characters. */
  readonly id: string;
  readonly atMs: number;
  readonly object: CrossingObject;
  /** The ID that the device tracks the object by; 0 to 2^31 - 1. */
  readonly objectId: number;
  readonly direction: CrossingDirection;
}

/** Where a page of crossings begins: after this one, in time order. */
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

/** Consecutive buckets of one length, without gaps. */
export interface BucketRun {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly count: number;
}

export interface BucketQuery {
  /** null: every device of the organization. */
  readonly devices: readonly ReportingDevice[] | null;
  /** Half-open; crossings outside are not counted, even if a bucket extends further. */
  readonly fromMs: number;
  readonly toMs: number;
  /** In order, without overlaps. */
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
  /** Adds those that are not known yet, in one transaction; at most 1,000. Resolves with how many were new. */
  add(orgUuid: Ruuid, crossings: readonly Crossing[]): Promise<number>;
  /** Those of the reports that exist, at most 1,000, in no particular order. */
  findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<Crossing[]>;
  /** Oldest first. */
  page(orgUuid: Ruuid, query: CrossingQuery): Promise<Crossing[]>;
  /** The devices that have crossings, in no particular order. */
  reporters(orgUuid: Ruuid): Promise<Ruuid[]>;
  /** Buckets with crossings, in order. */
  counts(orgUuid: Ruuid, query: CrossingCountQuery): Promise<CrossingCount[]>;
  /**
   * Removes rows from before `beforeMs`, one quarter hour at a time; a quarter hour that extends beyond it stays
   * whole. At most about `limit` rows. Resolves with how many, 0 if nothing is left.
   */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  /**
   * Removes rows beyond the organization's limit, about `limit` rows: the oldest of the device that has most of
   * them. Resolves with how many; 0: the rest is within the bound.
   */
  removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number>;
}

export interface OccupancyCount extends ReportingDevice {
  readonly id: string;
  readonly atMs: number;
  /** How many were there at that time. */
  readonly count: number;
}

export interface OccupancyPeak {
  readonly bucketStartMs: number;
  readonly count: number;
  /** When that many were first reported. */
  readonly atMs: number;
  readonly device: ReportingDevice;
}

export interface OccupancyRepository {
  /** Like `CrossingRepository.add`. */
  add(orgUuid: Ruuid, counts: readonly OccupancyCount[]): Promise<number>;
  /** Like `CrossingRepository.findAll`. */
  findAll(orgUuid: Ruuid, reports: readonly ReportName[]): Promise<OccupancyCount[]>;
  /** The newest counts of all the devices together, at most `limit`, newest first. */
  latest(orgUuid: Ruuid, devices: readonly ReportingDevice[], limit: number): Promise<OccupancyCount[]>;
  /** The devices that have counts, in no particular order. */
  reporters(orgUuid: Ruuid): Promise<Ruuid[]>;
  /** The highest count of each facet in each bucket that has any, in bucket order. */
  peaks(orgUuid: Ruuid, query: BucketQuery): Promise<OccupancyPeak[]>;
  /** At most `limit`. Resolves with how many. */
  removeBefore(orgUuid: Ruuid, beforeMs: number, limit: number): Promise<number>;
  /**
   * Removes rows beyond the organization's limit, about `limit` rows: the oldest of the device that has most of
   * them. Resolves with how many; 0: the rest is within the bound.
   */
  removeExcess(orgUuid: Ruuid, bound: UseBound, limit: number): Promise<number>;
  hasReported(orgUuid: Ruuid, deviceUuid: Ruuid): Promise<boolean>;
}
