/** kill -9 while shares are created and revoked: acknowledged changes must hold afterwards. */

import { setTimeout as delay } from 'node:timers/promises';
import { TestGateway, type TestShare } from '../../../../test/support/gateway.ts';
import { until } from '../../../../test/support/until.ts';
import { type Abuse, deviations } from '../abuse.ts';

const ROUNDS = { short: 3, long: 25 };
const CALLERS = 4;
const MAX_ROUND_MS = 700;

export interface CrashFigures {
  readonly rounds: number;
  readonly made: number;
  readonly revoked: number;
  readonly lost: number;
  readonly risen: number;
}

/** Creates and revokes until the gateway has ended. */
async function work(
  gateway: TestGateway,
  alive: Map<string, TestShare>,
  ended: Set<string>,
  uncertain: Set<string>,
): Promise<void> {
  for (let count = 0; ; count++) {
    const share = await gateway.share('Good', { name: `crash ${count}` });
    alive.set(share.uuid, share);
    if (count % 3 === 0) continue;
    uncertain.add(share.uuid);
    const { error } = await gateway.revoke(share);
    if (error) continue;
    alive.delete(share.uuid);
    uncertain.delete(share.uuid);
    ended.add(share.uuid);
  }
}

async function crash(isShort: boolean): Promise<CrashFigures> {
  const rounds = isShort ? ROUNDS.short : ROUNDS.long;
  // The camera does not exist: these shares have no viewers.
  const gateway = await TestGateway.start({
    cameras: [{ name: 'Good', rtsp: 'rtsp://127.0.0.1:9/stream' }],
    api: { rateLimit: 1_000_000 },
    log: { level: 'info', format: 'json' },
  });
  const alive = new Map<string, TestShare>();
  const ended = new Set<string>();
  const uncertain = new Set<string>();
  let lost = 0;
  let risen = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const callers = Array.from({ length: CALLERS }, () =>
        work(gateway, alive, ended, uncertain).catch((error: unknown) => error),
      );
      await delay(100 + Math.random() * MAX_ROUND_MS);
      gateway.child.process.kill('SIGKILL');
      await Promise.all(callers);
      await gateway.child.exited;
      await gateway.run();
      // On a busy machine, the API rejects callers for a moment after its start.
      const { sharedLiveVideoStreams } = await until('the list of shares', async () => {
        const response = await gateway.call('camera/findAllSharedLiveVideoStreams');
        return response.error ? null : response;
      });
      const stored = new Set((sharedLiveVideoStreams as { uuid: string }[]).map(({ uuid }) => uuid));
      lost = [...alive.keys()].filter((uuid) => !stored.has(uuid) && !uncertain.has(uuid)).length;
      risen = [...ended].filter((uuid) => stored.has(uuid)).length;
      if (lost + risen > 0) break;
    }
    return { rounds, made: alive.size + ended.size, revoked: ended.size, lost, risen };
  } finally {
    await gateway.dispose();
  }
}

export const abuses: readonly Abuse[] = [
  {
    group: 'crashes',
    name: 'kill -9 while shares are made and revoked',
    attack: async ({ isShort }) => {
      const { rounds, made, revoked, lost, risen } = await crash(isShort);
      process.stdout.write(`    ${rounds} kill -9: ${made} shares made, ${revoked} revoked\n`);
      return deviations([
        [`${lost} acknowledged shares lost`, lost === 0],
        [`${risen} revoked shares back`, risen === 0],
        ['nothing was revoked', revoked > 0],
      ]);
    },
  },
];
