import { expect, it } from 'vitest';
import { G711Packetizer } from './g711-packetizer.ts';

it('numbers packets and samples, and marks the first packet', () => {
  const packetizer = new G711Packetizer(8, 0x01020304, 0x2_0000_ffff - 0x1_0000_0000);
  const packets = [2, 3, 1].map((length) =>
    Buffer.from(packetizer.packet(new Uint8Array(length).fill(0xd5))).toString('hex'),
  );
  expect(packets).toEqual([
    '8088ffff0000ffff01020304d5d5',
    '800800000001000101020304d5d5d5',
    '800800010001000401020304d5',
  ]);
});
