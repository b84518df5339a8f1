/** Uploads by tus-js-client, as an integrator would write them. */

import { DetailedError, Upload } from 'tus-js-client';

export interface TusUploadOptions {
  readonly endpoint: string;
  readonly key: string;
  readonly file: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  /** Default: as many attempts as the test has time for. */
  readonly retries?: number;
  readonly scheme?: string;
  readonly chunkBytes?: number;
  readonly onProgress?: (sent: number) => void;
}

export interface TusOutcome {
  /** 0: it succeeded. Otherwise the last response's. */
  readonly status: number;
  readonly body: string;
  readonly url: string | null;
}

export function tusUpload(options: TusUploadOptions): Promise<TusOutcome> {
  const { endpoint, key, file, metadata, retries = 200, scheme = 'api-token', chunkBytes } = options;
  return new Promise((resolve) => {
    const upload = new Upload(file, {
      endpoint,
      metadata,
      retryDelays: Array<number>(retries).fill(20),
      headers: { 'x-auth-apikey': key, 'x-auth-scheme': scheme },
      ...(chunkBytes === undefined ? {} : { chunkSize: chunkBytes }),
      onProgress: (sent) => options.onProgress?.(sent),
      onSuccess: () => resolve({ status: 0, body: '', url: upload.url }),
      onError: (error) => {
        const response = error instanceof DetailedError ? error.originalResponse : null;
        const status = response?.getStatus() ?? -1;
        resolve({ status, body: response?.getBody() ?? String(error), url: upload.url });
      },
    });
    upload.start();
  });
}
