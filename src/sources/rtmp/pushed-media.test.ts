import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/errors.ts';
import { Push } from './pushed-media-fixture.ts';

describe('PushedMedia', () => {
  it.each([
    ['AV1', Buffer.concat([Buffer.of(0x90), Buffer.from('av01')]), 'av01'],
    ['VP9', Buffer.concat([Buffer.of(0x91), Buffer.from('vp09')]), 'vp09'],
    ['AV1 with a number of its own', Buffer.from('1d00000000', 'hex'), 'AV1'],
  ])('refuses %s with its name', (_title, payload, encoding) => {
    const push = new Push().attach();
    let error: unknown;
    try {
      push.media.video(0, payload, 0);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'RTMP_UNSUPPORTED_VIDEO', context: { encoding } });
  });
});
