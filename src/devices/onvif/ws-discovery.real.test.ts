import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import { FakeClock } from '../../core/fake-clock.ts';
import { FakeOnvifDevice } from './fake-onvif-device.ts';
import { discoverOnvifDevices } from './ws-discovery.ts';

const HOST = '127.0.0.1';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Answers each probe with these datagrams. */
async function responding(texts: readonly string[]): Promise<number> {
  let isClosed = false;
  const socket = createSocket('udp4').on('message', async (_probe, { port, address }) => {
    // One per turn, or the system's buffer drops datagrams that the same process has not read yet.
    for (const text of texts) {
      if (isClosed) return;
      socket.send(text, port, address);
      await setImmediate();
    }
  });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  closing.push(() => {
    isClosed = true;
    socket.close();
  });
  return socket.address().port;
}

const match = (addresses: string, more = '') =>
  `<e:Envelope xmlns:e="e"><e:Body><d:ProbeMatches><d:ProbeMatch>${more}<d:XAddrs>${addresses}</d:XAddrs>` +
  '</d:ProbeMatch></d:ProbeMatches></e:Body></e:Envelope>';

const discover = (port: number, waitMs = 300) =>
  discoverOnvifDevices({ clock: systemClock, waitMs, targets: [{ address: HOST, port }] });

describe('discoverOnvifDevices', () => {
  it('finds each camera that responds, once, at the address that the response came from', async () => {
    const device = await FakeOnvifDevice.open();
    closing.push(() => device.close());
    expect(await discover(device.discoveryPort)).toEqual([
      {
        service: device.service,
        name: 'Front door',
        hardware: 'Dome-4',
        addresses: ['http://[fe80::1]/onvif/device_service', device.service.href],
      },
    ]);
  });

  it('probes each target, and goes on if one of them cannot be reached', async () => {
    const devices = [await FakeOnvifDevice.open(), await FakeOnvifDevice.open({ host: '127.0.0.2' })];
    closing.push(() => Promise.all(devices.map((device) => device.close())));
    const own = devices.map(({ service, discoveryPort }) => ({
      address: service.hostname,
      port: discoveryPort,
    }));
    const targets = [{ address: 'not an address', port: 9 }, ...own];
    const found = await discoverOnvifDevices({ clock: systemClock, waitMs: 300, targets });
    expect(found.map(({ service }) => service.href).sort()).toEqual(
      devices.map(({ service }) => service.href).sort(),
    );
  });

  it('reaches all cameras of a network by its broadcast address', async () => {
    const socket = createSocket('udp4').on('message', (_probe, { port, address }) => {
      socket.send(match('http://192.0.2.1/onvif/x'), port, address);
    });
    socket.bind(0, '0.0.0.0');
    await once(socket, 'listening');
    closing.push(() => socket.close());
    const targets = [{ address: '127.255.255.255', port: socket.address().port }];
    const [found] = await discoverOnvifDevices({ clock: systemClock, waitMs: 300, targets });
    expect(found?.service.href).toBe('http://127.0.0.1/onvif/x');
  });

  it.each([
    ['0.0.0.0', 'http://0.0.0.0:8000/onvif/device_service', 'http://127.0.0.1:8000/onvif/device_service'],
    ['an old address', 'http://u:p@192.168.1.10/onvif/x', 'http://127.0.0.1/onvif/x'],
    ['a link-local one', 'http://[fe80::1]:2020/onvif/service', 'http://127.0.0.1:2020/onvif/service'],
  ])('reaches a camera that names %s where it responded from', async (_name, named, service) => {
    const [found] = await discover(await responding([match(named)]));
    expect(found?.service.href).toBe(service);
  });

  it('ignores what is no response of a camera', async () => {
    const texts = [
      '',
      'nothing',
      '<a/>',
      match(''),
      match('ftp://127.0.0.1/'),
      match('http://['),
      match('//x'),
    ];
    const bombs = ['<!DOCTYPE a [<!ENTITY b "c">]><a/>', '<a>'.repeat(5_000), '&'.repeat(60_000)];
    expect(await discover(await responding([...texts, ...bombs]))).toEqual([]);
  });

  it('keeps names short and in one line', async () => {
    const name = `onvif://www.onvif.org/name/a%0a%1b[2J${'b'.repeat(500)}`;
    const scopes = `<d:Scopes>onvif://www.onvif.org/hardware/%E0%A4 ${name}</d:Scopes>`;
    const [found] = await discover(await responding([match('http://127.0.0.1/', scopes)]));
    expect(found?.name).toMatch(/^a \[2Jb{50,100}$/);
    expect(found?.hardware).toBe('%E0%A4');
  });

  it('stops after a flood of responses, without waiting for the rest', async () => {
    const clock = new FakeClock();
    const port = await responding(Array.from({ length: 520 }, () => 'nothing'));
    // The clock is frozen: only the number of responses can end it.
    const targets = [{ address: HOST, port }];
    expect(await discoverOnvifDevices({ clock, waitMs: 1_000, targets })).toEqual([]);
  });

  it('fails if no network takes the probe', async () => {
    const targets = [{ address: 'not an address', port: 9 }];
    await expect(discoverOnvifDevices({ clock: systemClock, waitMs: 300, targets })).rejects.toMatchObject({
      code: 'ONVIF_UNREACHABLE',
    });
  });
});
