import { describe, expect, it } from 'vitest';
import { PacketLoss, type PacketLossOptions } from './packet-loss.ts';

const PACKETS = 200_000;

function lostPackets(options: PacketLossOptions): boolean[] {
  const loss = new PacketLoss(options);
  return Array.from({ length: PACKETS }, () => loss.takesNext());
}

describe('PacketLoss', () => {
  it.each([
    [{ share: 0.01, seed: 1 }, 1 / 0.99],
    [{ share: 0.01, meanBurstPackets: 5, seed: 2 }, 5],
    [{ share: 0.2, meanBurstPackets: 10, seed: 3 }, 10],
  ])('loses as much as configured, in runs of that length: %o', (options, burst) => {
    const lost = lostPackets(options);
    const count = lost.filter(Boolean).length;
    const runs = lost.filter((isLost, at) => isLost && lost[at - 1] !== true).length;
    expect(count / PACKETS / options.share).toBeCloseTo(1, 0);
    expect(Math.abs(count / runs / burst - 1)).toBeLessThan(0.1);
  });

  it('loses the same packets for the same seed', () => {
    const options = { share: 0.01, meanBurstPackets: 5, seed: 7 };
    expect(lostPackets(options)).toEqual(lostPackets(options));
    expect(lostPackets(options)).not.toEqual(lostPackets({ ...options, seed: 8 }));
  });
});
