import { describe, expect, it } from 'vitest';
import { CredentialUrl } from '../../core/secret.ts';
import { cameraRoute, type TransportPreference } from './camera-route.ts';

describe('cameraRoute', () => {
  it.each<[string, TransportPreference, string, number, boolean, string | null]>([
    ['rtsp://cam/live', 'auto', 'rtsp://cam/live', 554, false, null],
    ['rtsps://cam/live', 'tcp', 'rtsps://cam/live', 322, true, null],
    ['rtsp://cam:8554/live', 'udp', 'rtsp://cam:8554/live', 8554, false, null],
    ['rtsp+http://cam/live', 'auto', 'rtsp://cam/live', 80, false, 'cam /live'],
    ['rtsp+https://cam/live', 'auto', 'rtsps://cam/live', 443, true, 'cam /live'],
    ['rtsp+http://cam:8080/a?b=c', 'udp', 'rtsp://cam:8080/a?b=c', 8080, false, 'cam:8080 /a?b=c'],
    ['rtsp://cam', 'http', 'rtsp://cam', 80, false, 'cam /'],
    ['rtsps://cam/live', 'http', 'rtsps://cam/live', 443, true, 'cam /live'],
    ['rtsp+http://[fd00::8]:81/live', 'auto', 'rtsp://[fd00::8]:81/live', 81, false, '[fd00::8]:81 /live'],
  ])('%s by %s', (text, transport, rtspUrl, port, isTls, tunnel) => {
    const route = cameraRoute(new CredentialUrl(text), transport)!;
    expect([route.rtspUrl.reveal(), route.port, route.isTls]).toEqual([rtspUrl, port, isTls]);
    expect(route.tunnel && `${route.tunnel.host} ${route.tunnel.path}`).toBe(tunnel);
  });

  it('keeps credentials for RTSP and out of the HTTP requests', () => {
    const route = cameraRoute(new CredentialUrl('rtsp+http://admin:p%40ss@cam/live'), 'auto')!;
    expect(route.rtspUrl.credentials()?.password.reveal()).toBe('p@ss');
    expect(route.tunnel).toEqual({ host: 'cam', path: '/live' });
  });

  it.each(['http://cam/live', 'rtsp:///live', 'rtspu://cam/', 'file:///etc/passwd'])(
    'is null for %s',
    (text) => {
      expect(cameraRoute(new CredentialUrl(text), 'http')).toBeNull();
    },
  );
});
