/** Bounds on entries that are remembered for organizations, part of the registry (registry.ts). */

import type { MemoryLimit } from './shared-limit.ts';

const MIB = 1_048_576;

export const MEMORY_LIMITS = {
  signedInViews: {
    kind: 'memory',
    what: 'viewers who were let in because they signed in at the provider',
    per: 'process',
    total: 20_000,
    levels: ['organization', 'link'],
    atLimit: 'A logout at the provider does not end that view; its grant ends as it says.',
  },
  extendedGrants: {
    kind: 'memory',
    what: 'grants of cameras whose end was put off',
    per: 'process',
    total: 10_000,
    levels: ['organization', 'credential'],
    atLimit: 'The grant ends as it said at first; the page asks for another one.',
  },
  recentGrants: {
    kind: 'memory',
    what: 'players that request a bare URL again and keep their grant; as many of links as of cameras',
    per: 'thread',
    total: 10_000,
    levels: ['organization', 'link', 'address'],
    atLimit: 'The player gets another grant, and counts as another viewer.',
  },
  waitingPushes: {
    kind: 'memory',
    what: 'notifications that wait for a push service',
    per: 'process',
    total: 2_000,
    levels: ['organization'],
    atLimit: 'The organization’s oldest one is not sent; its alert stays in the list.',
  },
  recentPushes: {
    kind: 'memory',
    what: 'people and cameras for which a notification was sent in the last seconds',
    per: 'process',
    total: 20_000,
    levels: ['organization'],
    atLimit: 'The next alert there is notified immediately, not together with others.',
  },
  heldStills: {
    kind: 'memory',
    what: 'images that a call made and names by URL',
    per: 'process',
    total: 512,
    bytes: 64 * MIB,
    levels: ['organization', 'camera'],
    atLimit: 'The URL answers 404; the call can be made again.',
  },
  recodedSegments: {
    kind: 'memory',
    what: 'recorded segments that were made H.264 for viewers',
    per: 'process',
    total: 4_096,
    bytes: 96 * MIB,
    levels: ['organization', 'camera'],
    atLimit: 'The segment is made again when a viewer requests it.',
  },
  cameraLogins: {
    kind: 'memory',
    what: 'accounts of cameras whose passwords were accepted or refused',
    per: 'process',
    total: 10_000,
    levels: ['organization', 'address'],
    atLimit: 'The account is tried again when its camera is opened.',
  },
  logRecords: {
    kind: 'memory',
    what: 'newest records of the log, for operators',
    per: 'process',
    total: 2_000,
    bytes: 4 * MIB,
    levels: ['organization'],
    atLimit: 'The record is only in the log itself.',
  },
  counterRings: {
    kind: 'memory',
    what: 'camera streams with an hour of counters',
    per: 'process',
    total: 2_400,
    levels: ['organization'],
    atLimit: 'The stream has no history until it is sampled again.',
  },
  reportedShares: {
    kind: 'memory',
    what: 'shares with what their viewers report',
    per: 'process',
    total: 100,
    levels: ['organization'],
    atLimit: 'The share has no history of its own; all reports together have one.',
  },
} as const satisfies Readonly<Record<string, MemoryLimit>>;
