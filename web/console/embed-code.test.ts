import { expect, test } from 'vitest';
import { embedCode } from './embed-code.ts';

test('the code for a web page keeps a name that looks like code as text', () => {
  const code = embedCode({
    pageUrl: 'https://video.example/share/abc?a=1&b=2',
    name: '"><script>x</script>',
  });
  expect(code).toBe(
    '<iframe src="https://video.example/share/abc?a=1&amp;b=2" title="&quot;&gt;&lt;script&gt;x&lt;/script&gt;" ' +
      'allow="autoplay; fullscreen; picture-in-picture" ' +
      'style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>',
  );
});
