import { expect, it } from 'vitest';
import { bundleScripts } from './bundle-scripts.ts';
import { bundleInProcess } from './console-bundle.ts';

it('gets from a process of its own what the bundler makes', async () => {
  const scripts = await bundleInProcess();
  expect(scripts).toEqual(await bundleScripts());
  expect(scripts.filter(({ isEntry }) => isEntry)).toHaveLength(1);
});
