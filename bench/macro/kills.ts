/**
 * `kills`: kill -9 while the recorder writes, clips are handed over and clips are spliced. After each kill, the next start
 * must find everything that was acknowledged, and nothing half-written. Most rounds kill a process with the recorder, the
 * uploads and the clips in it, one whose files move from the disk to S3, or one that thins recordings; some kill a whole gateway.
 */

import { gatewayKillRounds } from '../../test/support/kills/gateway-rounds.ts';
import { killRounds } from '../../test/support/kills/kill-rounds.ts';
import { thinRounds } from '../../test/support/kills/thin-rounds.ts';
import { tierRounds } from '../../test/support/kills/tier-rounds.ts';
import type { BenchOptions, BenchResult } from '../report.ts';

const SHORT = { rounds: 8, tierRounds: 4, thinRounds: 4, gatewayRounds: 1 };
const LONG = { rounds: 200, tierRounds: 200, thinRounds: 200, gatewayRounds: 10 };
/** Two seconds of work. */
const MAX_ACKNOWLEDGED = 150;
const MAX_GATEWAY_WORK_MS = 1_200;
const MAX_QUOTED = 20;

export async function run({ isShort }: BenchOptions): Promise<BenchResult> {
  const lengths = isShort ? SHORT : LONG;
  const { rounds, tierRounds: roundsOfTiers, gatewayRounds } = lengths;
  const rooms = await killRounds({ rounds, maxAcknowledged: MAX_ACKNOWLEDGED, onRound: tell });
  const tiers = await tierRounds({ rounds: roundsOfTiers, maxAcknowledged: MAX_ACKNOWLEDGED, onRound: tell });
  const thinning = { rounds: lengths.thinRounds, maxLines: MAX_ACKNOWLEDGED, onRound: tell };
  const onDisk = await thinRounds({ ...thinning, isInS3: false });
  const inS3 = await thinRounds({ ...thinning, isInS3: true });
  const gateway = await gatewayKillRounds(gatewayRounds, MAX_GATEWAY_WORK_MS);
  const faults = [...rooms.faults, ...tiers.faults, ...onDisk.faults, ...inS3.faults, ...gateway.faults];
  for (const fault of faults.slice(0, MAX_QUOTED)) process.stdout.write(`    ${fault}\n`);
  return {
    name: 'kills',
    rows: [
      {
        case: 'recorder, uploads, clips',
        kills: rooms.rounds,
        segments: rooms.segments,
        uploads: rooms.uploads,
        splices: rooms.splices,
        faults: rooms.faults.length,
        'start ms': rooms.repairMs,
      },
      { case: 'of those, during the bytes of an upload', kills: rooms.duringUpload },
      { case: 'during the import of an upload', kills: rooms.duringImport },
      { case: 'during a splice', kills: rooms.duringSplice },
      { case: 'during a start', kills: rooms.duringStart },
      {
        case: 'from the disk to S3',
        kills: tiers.rounds,
        segments: tiers.files,
        deletions: tiers.deletions,
        faults: tiers.faults.length,
      },
      {
        case: 'thinning on the disk',
        kills: onDisk.rounds,
        segments: onDisk.segments,
        faults: onDisk.faults.length,
      },
      { case: 'thinning in S3', kills: inS3.rounds, segments: inS3.segments, faults: inS3.faults.length },
      {
        case: 'a whole gateway',
        kills: gateway.rounds,
        segments: gateway.segments,
        uploads: gateway.uploads,
        splices: gateway.splices,
        faults: gateway.faults.length,
        'start ms': gateway.readyMs,
      },
    ],
    figures: {
      kills: rooms.rounds + tiers.rounds + onDisk.rounds + inS3.rounds + gateway.rounds,
      faults: faults.length,
      checks: rooms.checked + tiers.checked,
      decodedClips: rooms.decoded,
      slowestRepairMs: rooms.repairMs,
      slowestResumeMs: rooms.resumeMs,
    },
  };
}

function tell(number: number, faults: readonly string[]): void {
  for (const fault of faults) process.stdout.write(`    after kill ${number}: ${fault}\n`);
}
