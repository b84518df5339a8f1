/** OpenSSL as a time stamp authority (RFC 3161) behind an HTTP server. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type TsaKey = 'rsa' | 'p256' | 'p384';

export interface OpensslTsa {
  readonly url: string;
  /** What those who trust the authority have, as PEM. */
  readonly caFile: string;
  readonly folder: string;
  /** Requests so far. */
  readonly requests: () => number;
  /** How it answers instead of with a time stamp; null: with one. */
  answers: ((request: Buffer) => { readonly status: number; readonly body: Buffer }) | null;
  close(): Promise<void>;
}

const KEYS: Readonly<Record<TsaKey, readonly string[]>> = {
  rsa: ['rsa:2048'],
  p256: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
};

export async function startOpensslTsa(key: TsaKey = 'rsa'): Promise<OpensslTsa> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tsa-'));
  const config = join(folder, 'tsa.cnf');
  await writeFile(config, configOf(folder));
  await writeFile(join(folder, 'serial'), '01\n');
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const newKey = ['-newkey', ...KEYS[key], '-nodes', '-config', config];
  const authority = [
    '-subj',
    '/CN=Test authority',
    '-days',
    '30',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
  ];
  await openssl('req', '-x509', ...newKey, ...authority, '-keyout', 'ca.key', '-out', 'ca.pem');
  await openssl(
    'req',
    '-new',
    ...newKey,
    '-subj',
    '/CN=Test time stamps',
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.csr',
  );
  const extensions = ['-extfile', config, '-extensions', 'tsa_extensions', '-days', '30'];
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  await openssl('x509', '-req', '-in', 'tsa.csr', ...issuer, ...extensions, '-out', 'tsa.pem');
  let requests = 0;
  const server = createServer((request, response) => {
    const answered = buffer(request).then(async (query) => {
      requests += 1;
      const instead = tsa.answers?.(query);
      const body = instead?.body ?? (await reply(query, requests));
      response.writeHead(instead?.status ?? 200, { 'content-type': 'application/timestamp-reply' }).end(body);
    });
    answered.catch((error: Error) => response.writeHead(500).end(error.message));
  });
  const reply = async (query: Buffer, number: number): Promise<Buffer> => {
    const [queryFile, replyFile] = [`${number}.tsq`, `${number}.tsr`].map((name) => join(folder, name));
    await writeFile(queryFile!, query);
    await openssl('ts', '-reply', '-config', config, '-queryfile', queryFile!, '-out', replyFile!);
    return readFile(replyFile!);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const tsa: OpensslTsa = {
    url: `http://127.0.0.1:${port}/tsr`,
    caFile: join(folder, 'ca.pem'),
    folder,
    requests: () => requests,
    answers: null,
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return tsa;
}

/** Whether OpenSSL finds the time stamp valid for the file. */
export async function opensslVerifies(
  { caFile }: Pick<OpensslTsa, 'caFile'>,
  responseFile: string,
  dataFile: string,
): Promise<boolean> {
  const args = ['ts', '-verify', '-in', responseFile, '-data', dataFile, '-CAfile', caFile];
  return run('openssl', args).then(
    ({ stdout, stderr }) => /Verification: OK/.test(stdout + stderr),
    () => false,
  );
}

/** The time that OpenSSL reads in the time stamp. */
export async function opensslTimeMs(responseFile: string): Promise<number> {
  const { stdout } = await run('openssl', ['ts', '-reply', '-in', responseFile, '-text']);
  return Date.parse(/^Time stamp: (.+)$/m.exec(stdout)![1]!);
}

function configOf(folder: string): string {
  return `[req]
distinguished_name = name
[name]
[tsa_extensions]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = authority
[authority]
dir = ${folder}
serial = ${folder}/serial
crypto_device = builtin
signer_cert = ${folder}/tsa.pem
certs = ${folder}/ca.pem
signer_key = ${folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`;
}
