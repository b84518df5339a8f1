import { describe, expect, it } from 'vitest';
import {
  MAX_URL_CHARS,
  presentationBase,
  redirectTarget,
  requestUri,
  resolveControl,
} from './control-url.ts';

const REQUESTED = 'rtsp://cam:554/live?channel=1';

describe('presentationBase', () => {
  it.each([
    ['Content-Base first', 'rtsp://cam/base/', 'rtsp://cam/location/', 'rtsp://cam/base/'],
    ['Content-Location next', null, 'rtsp://cam/location/', 'rtsp://cam/location/'],
    ['no scheme (Anjvision)', '192.168.1.10:554/stream0/', null, REQUESTED],
    ['the requested URL without either (VStarcam)', null, null, REQUESTED],
    ['a blank Content-Base (Uniview)', '', null, REQUESTED],
    ['an absolute path', '/base/', null, 'rtsp://cam:554/base/'],
    ['a file name', 'live.sdp', null, REQUESTED],
    ['another protocol', 'http://cam/base/', null, REQUESTED],
    ['no host', 'rtsp:///base/', null, REQUESTED],
    ['no scheme (Anjvision)', '192.168.1.10:554/stream0/', null, REQUESTED],
    ['endless', `rtsp://cam/${'x'.repeat(MAX_URL_CHARS)}`, null, REQUESTED],
  ])('%s', (_, contentBase, contentLocation, expected) => {
    expect(presentationBase(REQUESTED, contentBase, contentLocation)).toBe(expected);
  });
});

describe('resolveControl', () => {
  it.each([
    ['nothing', 'rtsp://cam/a', null, 'rtsp://cam/a'],
    ['star', 'rtsp://cam/a/', '*', 'rtsp://cam/a/'],
    ['absolute', 'rtsp://cam/a/', 'rtsp://other/b', 'rtsp://other/b'],
    [
      'absolute with a query (Hikvision)',
      'rtsp://cam/Streaming/Channels/101/',
      'rtsp://cam/Streaming/Channels/101/trackID=1?transportmode=unicast&profile=Profile_1',
      'rtsp://cam/Streaming/Channels/101/trackID=1?transportmode=unicast&profile=Profile_1',
    ],
    ['absolute in upper case', 'rtsp://cam/a/', 'RTSP://cam/b', 'RTSP://cam/b'],
    ['relative, base with slash', 'rtsp://cam/a/', 'trackID=1', 'rtsp://cam/a/trackID=1'],
    ['relative, base without', 'rtsp://cam/a', 'trackID=1', 'rtsp://cam/a/trackID=1'],
    ['relative, base is a host', 'rtsp://cam', 'track1', 'rtsp://cam/track1'],
    ['leading slash', 'rtsp://cam/a/', '/track1', 'rtsp://cam/a/track1'],
    [
      'query base (Dahua)',
      'rtsp://cam/a?channel=1&subtype=0',
      'trackID=0',
      'rtsp://cam/a?channel=1&subtype=0/trackID=0',
    ],
    [
      'query base with slash (Dahua)',
      'rtsp://cam/a?channel=1/',
      'trackID=0',
      'rtsp://cam/a?channel=1/trackID=0',
    ],
    ['query control', 'rtsp://cam/a', '?track=1', 'rtsp://cam/a?track=1'],
    ['blank within', 'rtsp://cam/a/', 'track 1', 'rtsp://cam/a/track%201'],
    ['endless', 'rtsp://cam/a', 'x'.repeat(MAX_URL_CHARS + 1), 'rtsp://cam/a'],
  ])('%s', (_, base, control, expected) => {
    expect(resolveControl(base, control)).toBe(expected);
  });
});

describe('requestUri', () => {
  it.each([
    ['rtsp://user:pass@cam/a', 'rtsp://cam/a'],
    ['rtsp://user:p@ss@cam/a', 'rtsp://cam/a'],
    ['rtsp://cam/a@b', 'rtsp://cam/a@b'],
    ['rtsp://cam/ä\r\n', 'rtsp://cam/%C3%A4%0D%0A'],
  ])('%j is sent as %s', (url, expected) => {
    expect(requestUri(url)).toBe(expected);
  });
});

describe('redirectTarget', () => {
  it.each([
    ['rtsp to rtsp', 'rtsp://a/', 'rtsp://b/x', 'rtsp://b/x'],
    ['rtsp to rtsps', 'rtsp://a/', 'rtsps://b/x', 'rtsps://b/x'],
    ['rtsps to rtsp', 'rtsps://a/', 'rtsp://b/x', null],
    ['to http', 'rtsp://a/', 'http://b/x', null],
    ['to a file', 'rtsp://a/', 'file:///etc/passwd', null],
    ['to nothing', 'rtsp://a/', null, null],
    ['to a bad port', 'rtsp://a/', 'rtsp://b:99999/', null],
  ])('%s', (_, from, location, expected) => {
    expect(redirectTarget(from, location)).toBe(expected);
  });
});
