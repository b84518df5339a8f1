import './page-address-fixture.ts';
import { expect, it } from 'vitest';
import { editsFor, linkReach } from './media-addresses.ts';

it('knows which links open only on this machine, or only in its network', () => {
  for (const host of ['localhost:8081', '127.0.0.1', '[::1]:8081', 'x.localhost', '0.0.0.0:1']) {
    expect([host, linkReach(`http://${host}/share/x`)]).toEqual([host, 'this-machine']);
  }
  for (const host of ['192.168.1.2:8081', '10.1.2.3', '172.20.0.1', '[fd00::2]', 'nvr.local']) {
    expect([host, linkReach(`http://${host}/share/x`)]).toEqual([host, 'own-network']);
  }
  for (const host of ['video.example.com', '203.0.113.9', '172.32.0.1', 'localhost.example']) {
    expect([host, linkReach(`https://${host}/share/x`)]).toEqual([host, 'elsewhere']);
  }
});

it('opens the listener only if it is closed to others', () => {
  const addresses = {
    publicUrl: '',
    listensAt: '127.0.0.1',
    port: 8081,
    isLoopbackOnly: true,
    addresses: [],
  };
  expect(editsFor('http://192.168.1.2:8081', addresses)).toEqual([
    { path: 'listen.media', action: 'SET', value: '0.0.0.0:8081' },
    { path: 'public.mediaUrl', action: 'SET', value: 'http://192.168.1.2:8081' },
  ]);
  expect(editsFor('http://192.168.1.2:8081', { ...addresses, isLoopbackOnly: false })).toHaveLength(1);
});
