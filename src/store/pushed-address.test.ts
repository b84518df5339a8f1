import { expect, it } from 'vitest';
import { CredentialUrl } from '../core/secret.ts';
import { isPushed, publishDigestOf, pushedAddress } from './pushed-address.ts';

const DIGEST = 'qL8R4QIcQ_ZsRqOAbeRfcZhilN_MksRtDaErMA8_-o4';

it('is stored in the form that earlier versions wrote', () => {
  expect(pushedAddress(DIGEST).reveal()).toBe(`rtmp-push://:${DIGEST}@publisher/`);
  expect(pushedAddress(null).reveal()).toBe('rtmp-push://publisher/');
});

it('says that the camera is pushed, and with which key', () => {
  for (const digest of [DIGEST, null]) {
    const stored = new CredentialUrl(pushedAddress(digest).reveal());
    expect(isPushed(stored)).toBe(true);
    expect(publishDigestOf(stored)).toBe(digest);
    expect(String(stored)).toBe('rtmp-push://publisher/');
  }
});

it.each(['rtsp://:secret@192.0.2.10/', 'rtmp://:secret@192.0.2.10/live'])(
  'is not the address of a camera that the gateway opens: %s',
  (text) => {
    const url = new CredentialUrl(text);
    expect(isPushed(url)).toBe(false);
    expect(publishDigestOf(url)).toBeNull();
  },
);
