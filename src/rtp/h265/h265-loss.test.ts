/** Which pictures of a stream still decode after a loss, by their types. The pictures are fake and never decoded. */

import { describe, expect, it } from 'vitest';
import { fragments, H265Camera, nalu, PPS, SETS, slice, VPS } from './h265-camera-fixture.ts';

describe('what depends on what was lost', () => {
  it('waits for the next key frame after a lost reference', () => {
    const camera = new H265Camera().key(0, 'a').plain(1, 'b').lose().plain(3, 'd').key(4, 'e').plain(5, 'f');
    expect(camera.outcome).toEqual({
      pictures: ['a', 'b', 'e', 'f'],
      dropped: [
        ['RTP_PACKET_LOSS', 1],
        ['RTP_REFERENCE_LOST', 1],
      ],
    });
  });

  it('continues after a lost picture of the highest sub-layer that no other refers to', () => {
    const [first] = fragments(slice('disposable', 'cccccc'), 5) as [Buffer];
    const camera = new H265Camera().key(0, 'a').plain(1, 'b');
    camera.picture(2, [first, Buffer.from([0x62, 1])]).plain(3, 'd');
    expect(camera.outcome).toEqual({ pictures: ['a', 'b', 'd'], dropped: [['RTP_BAD_PAYLOAD', 1]] });
  });

  it('drops RASL pictures after the first CRA picture, and keeps RADL pictures', () => {
    const camera = new H265Camera().picture(0, [...SETS, slice('cra', 'a')]);
    camera
      .picture(1, [slice('rasl', 'b')])
      .picture(2, [slice('radl', 'c')])
      .plain(3, 'd');
    camera
      .picture(4, [slice('cra', 'e')])
      .picture(5, [slice('rasl', 'f')])
      .plain(6, 'g');
    expect(camera.outcome).toEqual({
      pictures: ['a', 'c', 'd', 'e', 'f', 'g'],
      dropped: [['RTP_JOINING', 1]],
    });
  });

  it('drops RASL pictures of a CRA picture after a loss, and of every BLA picture', () => {
    const camera = new H265Camera().key(0, 'a').plain(1, 'b').lose();
    camera
      .picture(3, [slice('cra', 'c')])
      .picture(4, [slice('rasl', 'd')])
      .plain(5, 'e');
    camera
      .picture(6, [slice('bla', 'f')])
      .picture(7, [slice('rasl', 'g')])
      .plain(8, 'h');
    expect(camera.outcome.pictures).toEqual(['a', 'b', 'c', 'e', 'f', 'h']);
    expect(camera.recorder.dropped).toEqual([
      ['RTP_PACKET_LOSS', 1],
      ['RTP_REFERENCE_LOST', 2],
    ]);
  });

  it.each([
    ['in its access unit', (camera: H265Camera) => camera.picture(1, [slice('reference', 'b'), nalu(36)])],
    ['on its own', (camera: H265Camera) => camera.plain(1, 'b').picture(1, [nalu(36)])],
  ])('drops RASL pictures of a CRA picture after the end of a sequence, %s', (_title, end) => {
    const camera = end(new H265Camera().key(0, 'a'));
    camera
      .picture(2, [slice('cra', 'c')])
      .picture(3, [slice('rasl', 'd')])
      .plain(4, 'e');
    expect(camera.outcome.pictures.map((text) => text.replace('|(36)', ''))).toEqual(['a', 'b', 'c', 'e']);
    expect(camera.recorder.dropped).toEqual([['RTP_REFERENCE_LOST', 1]]);
  });

  it('announces a new track when parameter sets change, at the key frame that needs it', () => {
    const other = Buffer.from(
      '420101016000000300900000030000030078a003c08010e596666924cae010000003001000000301e080',
      'hex',
    );
    const camera = new H265Camera().key(0, 'a').plain(1, 'b');
    camera.picture(2, [VPS, other, PPS, slice('idr', 'c')]).plain(3, 'd');
    expect(camera.outcome).toEqual({ pictures: ['a', 'b', 'c', 'd'], dropped: [] });
    expect(camera.recorder.announced.map(([track]) => track)).toMatchObject([
      { widthPx: 704 },
      { widthPx: 1920 },
    ]);
  });
});
