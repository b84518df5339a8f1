/** A client generated from the OpenAPI document, without edits: it compiles, and it works. */

import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/synthetic-camera/synthetic-camera.ts';
import { API_KEY, type Json, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const SCENARIO = resolve(ROOT, 'test/generated-client/scenario.ts');
const METHOD_NAMES = resolve(ROOT, 'test/generated-client/method-names.ts');
/** `[operationId, tag]` by path, as the specification's own document has them. */
const SPECIFIED_OPERATIONS = resolve(ROOT, 'test/generated-client/specified-operations.json');

/** An integrator's own settings, as strict as possible. */
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  rewriteRelativeImportExtensions: true,
  outDir: 'compiled',
};

let camera: SyntheticCamera;
let gateway: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  camera = await startCamera();
  gateway = await TestGateway.start({ demo: false });
});
afterAll(async () => {
  await gateway?.dispose();
  await camera?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program in node_modules/.bin; fails with its output. */
async function tool(name: string, args: string[]): Promise<void> {
  try {
    await run(resolve(ROOT, 'node_modules/.bin', name), args, { cwd: folder });
  } catch (failure) {
    const { stdout, stderr } = failure as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${name} failed:\n${stdout}${stderr}`);
  }
}

const document = () => `${gateway.apiUrl}/api/openapi/public.json`;

/** Makes `file` from a document, with what `options` ask for besides. */
const generate = (from: string, file: string, ...options: string[]) =>
  tool('swagger-typescript-api', ['generate', '-p', from, '-o', folder, '-n', file, ...options]);

/** Compiles `files` of the folder, with what they import. */
async function compile(...files: string[]): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const settings = { compilerOptions: COMPILER_OPTIONS, files };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await tool('tsc', ['-p', folder]);
}

it('registers an NVR and a camera, makes a schedule, shares, lists, updates and revokes', async () => {
  await generate(document(), 'client.ts');
  await copyFile(SCENARIO, join(folder, 'scenario.ts'));
  await compile('scenario.ts');
  const { runScenario } = await import(pathToFileURL(join(folder, 'compiled/scenario.js')).href);
  const outcome = await runScenario({ baseUrl: gateway.apiUrl, apiKey: API_KEY, rtspUrl: camera.url });
  expect(outcome).toMatchObject({
    statusWhileShared: 200,
    statusOnceRevoked: 403,
    listed: [['Dock'], ['Gate'], []],
    refusal: expect.stringMatching(/^streamType must be one of USER, /),
    failureWithoutKey: { error: true, authenticationFailed: true },
  });
  const { cameraStates } = await gateway.call('camera/getMinimalCameraStateList');
  expect(cameraStates).toMatchObject([{ uuid: outcome.cameraUuid, name: 'Dock' }]);
});

it('has each method where a client generated from the specification has it', async () => {
  const served = new Set(Object.keys(((await (await fetch(document())).json()) as Json).paths));
  const specified = Object.entries<string[]>(JSON.parse(await readFile(SPECIFIED_OPERATIONS, 'utf8')));
  const common = specified.filter(([path]) => served.has(path));
  expect(common.length).toBeGreaterThan(80);
  const specification = join(folder, 'specification.json');
  await writeFile(specification, JSON.stringify(documentOf(common)));
  await generate(document(), 'ours.ts', '--module-name-first-tag');
  await generate(specification, 'specified.ts', '--module-name-first-tag');
  await copyFile(METHOD_NAMES, join(folder, 'method-names.ts'));
  await compile('method-names.ts');
  const { methods } = await import(pathToFileURL(join(folder, 'compiled/method-names.js')).href);
  expect(methods.camera).toContain('createCameraSharedLiveVideoStream');
  expect(methods.count).toBeGreaterThan(80);
});

/** As little of a document as names operations and their groups. */
function documentOf(operations: readonly [path: string, names: string[]][]): Json {
  const responses = { '200': { description: 'The answer.' } };
  const paths = operations.map(([path, [operationId, tag]]) => [
    path,
    { [path === '/api/oauth/authorize' ? 'get' : 'post']: { operationId, tags: [tag], responses } },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Specification', version: '1.0' },
    paths: Object.fromEntries(paths),
  };
}
