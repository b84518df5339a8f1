/** A client generated from the OpenAPI document, without edits: it compiles, and it works. */

import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SyntheticCamera } from '../../src/sources/synthetic-camera/synthetic-camera.ts';
import { API_KEY, TestGateway } from '../support/gateway.ts';
import { startCamera } from '../support/synthetic.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const SCENARIO = resolve(ROOT, 'test/generated-client/scenario.ts');

/** An integrator's own settings, as strict as possible. */
const COMPILER_OPTIONS = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
  ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
  ...{ module: 'nodenext', rewriteRelativeImportExtensions: true, outDir: 'compiled' },
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

it('registers an NVR and a camera, makes a schedule, shares, lists, updates and revokes', async () => {
  const document = `${gateway.apiUrl}/api/openapi/public.json`;
  await tool('swagger-typescript-api', ['generate', '-p', document, '-o', folder, '-n', 'client.ts']);
  await copyFile(SCENARIO, join(folder, 'scenario.ts'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const settings = { compilerOptions: COMPILER_OPTIONS, files: ['scenario.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await tool('tsc', ['-p', folder]);
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
