import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { CertificateFolder } from '../../../test/support/certificates.ts';
import { acceptingTls, connectingTls, linkKeyOf } from './link-tls.ts';

const KEY = linkKeyOf(Buffer.from('secret'));

describe('the handshake', () => {
  it('is TLS 1.3 with the key and forward secrecy', async () => {
    const server = createServer(acceptingTls(KEY)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ ...connectingTls(KEY), host: '127.0.0.1', port });
    await once(socket, 'secureConnect');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    expect(socket.getCipher().name).toBe('TLS_AES_128_GCM_SHA256');
    // The name of the key exchange depends on the version of OpenSSL; without an exchange the object is empty.
    expect(Object.values(socket.getEphemeralKeyInfo() ?? {}).some((value) => value !== undefined)).toBe(true);
    // A key that was agreed on before shows as a session that is resumed.
    expect(socket.isSessionReused()).toBe(true);
    expect(socket.getPeerCertificate()).toEqual({});
    socket.destroy();
    server.close();
  });

  it('does not take a certificate in place of the key', async () => {
    const certificates = new CertificateFolder();
    const { cert, key } = certificates.make('stranger');
    const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ ...connectingTls(KEY), host: '127.0.0.1', port });
    const failed = once(socket, 'secureConnect');
    await expect(failed).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    server.close();
    certificates.remove();
  });
});
