/** URLs as vendors document them and as users write them: the requested URL, and the login. */

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialUrl, Secret } from '../core/secret.ts';
import { buildDigestChallenge, verifyDigest } from './auth.ts';
import { Rig } from './client-session-fixture.ts';

const DIGEST = { realm: 'camera', nonce: 'n0nce', algorithm: 'MD5', qop: 'none' } as const;

/** Written URL; requested URL; user name; password. */
const URLS: readonly (readonly [string, string, string, string, string])[] = [
  [
    'Hikvision',
    'rtsp://admin:Abc@12345@192.0.2.10:554/Streaming/Channels/101?transportmode=unicast&profile=Profile_1',
    'rtsp://192.0.2.10:554/Streaming/Channels/101?transportmode=unicast&profile=Profile_1',
    'admin',
    'Abc@12345',
  ],
  [
    'Hikvision, ISAPI',
    'rtsp://admin:a:b@192.0.2.10/ISAPI/Streaming/channels/102',
    'rtsp://192.0.2.10/ISAPI/Streaming/channels/102',
    'admin',
    'a:b',
  ],
  [
    'Dahua',
    'rtsp://admin:p%40ss%2Fw%3Frd%23@192.0.2.10:554/cam/realmonitor?channel=1&subtype=0&unicast=true&proto=Onvif',
    'rtsp://192.0.2.10:554/cam/realmonitor?channel=1&subtype=0&unicast=true&proto=Onvif',
    'admin',
    'p@ss/w?rd#',
  ],
  [
    'Reolink, with the empty segment of its ONVIF answer',
    'rtsp://admin:100%@192.0.2.10:554//h264Preview_01_main',
    'rtsp://192.0.2.10:554//h264Preview_01_main',
    'admin',
    '100%',
  ],
  [
    'Axis',
    'rtsp://root:pass@192.0.2.10/axis-media/media.amp?videocodec=h264&resolution=1280x720',
    'rtsp://192.0.2.10/axis-media/media.amp?videocodec=h264&resolution=1280x720',
    'root',
    'pass',
  ],
  [
    'Uniview',
    'rtsp://admin:123456_UNV@192.0.2.10:554/unicast/c1/s0/live',
    'rtsp://192.0.2.10:554/unicast/c1/s0/live',
    'admin',
    '123456_UNV',
  ],
  [
    'TP-Link, whose account is an address of e-mail',
    'rtsp://user%40example.com:p$!^&*()ss@192.0.2.10:554/stream1',
    'rtsp://192.0.2.10:554/stream1',
    'user@example.com',
    'p$!^&*()ss',
  ],
  ['Foscam', 'rtsp://admin:@192.0.2.10:88/videoMain', 'rtsp://192.0.2.10:88/videoMain', 'admin', ''],
  [
    'Xiongmai, with a login of its own in the path',
    'rtsp://a:b@192.0.2.10:554/user=admin&password=x&channel=1&stream=0.sdp?real_stream--rtp-caching=100',
    'rtsp://192.0.2.10:554/user=admin&password=x&channel=1&stream=0.sdp?real_stream--rtp-caching=100',
    'a',
    'b',
  ],
  [
    'Hanwha',
    'rtsp://admin:4321@192.0.2.10/profile2/media.smp',
    'rtsp://192.0.2.10/profile2/media.smp',
    'admin',
    '4321',
  ],
  [
    'UniFi, whose key is the path',
    'rtsp://a:b@192.0.2.10:7447/5f2a1C3e?enableSrtp',
    'rtsp://192.0.2.10:7447/5f2a1C3e?enableSrtp',
    'a',
    'b',
  ],
  ['@ in the path', 'rtsp://a:b@192.0.2.10/live@main', 'rtsp://192.0.2.10/live@main', 'a', 'b'],
  ['an escaped slash', 'rtsp://a:b@192.0.2.10/live%2Fmain', 'rtsp://192.0.2.10/live%2Fmain', 'a', 'b'],
  ['an escaped @', 'rtsp://a:b@192.0.2.10/live%40main', 'rtsp://192.0.2.10/live%40main', 'a', 'b'],
  ['a colon', 'rtsp://a:b@192.0.2.10/ch:1/main:0', 'rtsp://192.0.2.10/ch:1/main:0', 'a', 'b'],
  ['blanks', 'rtsp://a:b c@192.0.2.10/my stream', 'rtsp://192.0.2.10/my%20stream', 'a', 'b c'],
  ['other scripts', 'rtsp://ä:пароль@192.0.2.10/门', 'rtsp://192.0.2.10/%E9%97%A8', 'ä', 'пароль'],
  ['no path', 'rtsp://a:b@192.0.2.10', 'rtsp://192.0.2.10', 'a', 'b'],
  ['no path but a query', 'rtsp://a:b@192.0.2.10?ch=1', 'rtsp://192.0.2.10?ch=1', 'a', 'b'],
  ['IPv6', 'rtsp://a:b@[fd00::8]:8554/live', 'rtsp://[fd00::8]:8554/live', 'a', 'b'],
];

describe('the URL of a camera', () => {
  it.each(URLS)('%s', (_, written, requested, username, password) => {
    const url = new CredentialUrl(written);
    const rig = new Rig(written);
    expect(rig.newest).toMatchObject({ method: 'OPTIONS', uri: requested });
    rig.answer(401, [['WWW-Authenticate', buildDigestChallenge('camera', 'n0nce', 'MD5', 'none')]]);
    const authorization = rig.newest.headers.get('Authorization') ?? '';
    const credentials = { username, password: new Secret(password) };
    const expected = { ...DIGEST, method: 'OPTIONS', uri: requested, credentials };
    expect(verifyDigest(authorization, expected)).toBe(true);
    for (const shown of [`${url}`, JSON.stringify({ url }), inspect({ url }), rig.newest.uri]) {
      expect(shown).not.toMatch(/^[a-z+]+:\/\/[^/?]*@/);
      if (password.length > 3) expect(shown).not.toContain(password);
    }
  });
});
