/** OpenSSL as a time stamp authority (RFC 3161) behind an HTTP server. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { derAt, derChildren, derOf } from '../../src/evidence/der.ts';

const run = promisify(execFile);
const SEQUENCE = 0x30;

/** `pss-only`: a key that allows no other padding. */
export type TsaKey = 'rsa' | 'rsa-pss' | 'pss-only' | 'p256' | 'p384';

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
  'rsa-pss': ['rsa:2048'],
  'pss-only': ['rsa:2048'],
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
  if (key === 'pss-only') {
    const own = ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048', '-nodes', '-config', config];
    await openssl(
      'req',
      '-new',
      ...own,
      '-subj',
      '/CN=Test time stamps',
      '-keyout',
      'pss.key',
      '-out',
      'pss.csr',
    );
    await openssl('x509', '-req', '-in', 'pss.csr', ...issuer, ...extensions, '-out', 'pss.pem');
  }
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
    if (key !== 'rsa-pss' && key !== 'pss-only') return readFile(replyFile!);
    return withPss(folder, key === 'rsa-pss' ? 'tsa' : 'pss', await readFile(replyFile!));
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

/** The same statement, signed again with RSA-PSS, which `openssl ts` cannot do. */
async function withPss(folder: string, signerName: string, reply: Buffer): Promise<Buffer> {
  const [status, token] = derChildren(derAt(reply, 0));
  const content = derChildren(derChildren(derChildren(token!)[1]!)[0]!)[2]!;
  const info = derChildren(derChildren(content)[1]!)[0]!.content;
  const [infoFile, tokenFile] = [join(folder, 'info'), join(folder, 'token')];
  await writeFile(infoFile, info);
  const padding = ['-keyopt', 'rsa_padding_mode:pss', '-keyopt', 'rsa_pss_saltlen:digest', '-md', 'sha256'];
  const form = ['-binary', '-nodetach', '-econtent_type', '1.2.840.113549.1.9.16.1.4', '-outform', 'DER'];
  const signer = ['-signer', `${signerName}.pem`, '-inkey', `${signerName}.key`];
  await run('openssl', ['cms', '-sign', '-in', infoFile, '-out', tokenFile, ...form, ...signer, ...padding], {
    cwd: folder,
  });
  return Buffer.from(derOf(SEQUENCE, status!.bytes, await readFile(tokenFile)));
}

/** Whether OpenSSL finds the signature of a time stamp with RSA-PSS valid. */
export async function opensslVerifiesPss({
  caFile,
  folder,
}: Pick<OpensslTsa, 'caFile' | 'folder'>): Promise<boolean> {
  const args = ['cms', '-verify', '-inform', 'DER', '-in', 'token', '-CAfile', caFile, '-purpose', 'any'];
  return run('openssl', [...args, '-out', 'verified'], { cwd: folder }).then(
    () => true,
    () => false,
  );
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
