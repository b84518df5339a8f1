import { describe, expect, it } from 'vitest';
import { threadMs } from '../../test/support/thread-time.ts';
import { matchRtpInfo, parseRtpInfo } from './rtp-info.ts';

describe('parseRtpInfo', () => {
  it.each([
    [
      'two streams',
      'url=rtsp://c/a/1;seq=10;rtptime=20,url=rtsp://c/a/2;seq=30;rtptime=40',
      [
        { url: 'rtsp://c/a/1', seq: 10, rtpTime: 20 },
        { url: 'rtsp://c/a/2', seq: 30, rtpTime: 40 },
      ],
    ],
    [
      'a URL with comma and semicolon',
      'url=rtsp://c/a?x=1,2;y;seq=1',
      [{ url: 'rtsp://c/a?x=1,2;y', seq: 1, rtpTime: null }],
    ],
    [
      'the other order and blanks',
      ' url = "t1" ; rtptime = 5 ; seq = 6 ',
      [{ url: 't1', seq: 6, rtpTime: 5 }],
    ],
    ['values out of range', 'url=t;seq=65536;rtptime=4294967296', [{ url: 't', seq: null, rtpTime: null }]],
    [
      'a semicolon at the end (Laureii)',
      'url=rtsp://cam/0/main/trackID=0;seq=0;rtptime=0;',
      [{ url: 'rtsp://cam/0/main/trackID=0', seq: 0, rtpTime: 0 }],
    ],
    ['rtptime=-1 (retina bad_rtptime.txt)', 'url=t;seq=5;rtptime=-1', [{ url: 't', seq: 5, rtpTime: null }]],
    ['negative values', 'url=t;seq=-1;rtptime=-5', [{ url: 't', seq: null, rtpTime: null }]],
    ['no URL', 'seq=1;rtptime=2', []],
    ['nothing', '', []],
  ])('reads %s', (_, header, expected) => {
    expect(parseRtpInfo(header)).toEqual(expected);
  });

  it('is equally fast for a header full of spaces', () => {
    const tookMs = threadMs(() => parseRtpInfo(`url=a${' '.repeat(16_000)}b;seq`));
    expect(tookMs).toBeLessThan(100);
  });
});

describe('matchRtpInfo', () => {
  const tracks = ['rtsp://cam/a/trackID=1', 'rtsp://cam/a/trackID=2'];
  const matched = (header: string) =>
    matchRtpInfo(parseRtpInfo(header), tracks).map((info) => info?.seq ?? null);

  it.each([
    ['equal URLs in any order', 'url=rtsp://cam/a/trackID=2;seq=2,url=rtsp://cam/a/trackID=1;seq=1', [1, 2]],
    [
      'another host',
      'url=rtsp://10.0.0.1:554/a/trackID=1;seq=1,url=rtsp://10.0.0.1:554/a/trackID=2;seq=2',
      [1, 2],
    ],
    ['relative URLs', 'url=trackID=1;seq=1,url=trackID=2;seq=2', [1, 2]],
    ['one stream missing', 'url=trackID=2;seq=2', [null, 2]],
    ['no match, same number: by position', 'url=x;seq=1,url=y;seq=2', [1, 2]],
    ['no match, other number', 'url=x;seq=1', [null, null]],
  ])('%s', (_, header, expected) => {
    expect(matched(header)).toEqual(expected);
  });
});
