import { randomBytes } from 'node:crypto';
import { type Check, type Checks, judge, rejection, rejectsWrongToken } from './check.ts';
import { download, fileOf, pathOf, sendFiles } from './store.ts';

function downloads(name: string, size: number): Check {
  return async trial => {
    const file = fileOf(trial, name, randomBytes(size));
    await sendFiles(trial.service, [file]);
    const { status, body, headers } = await download(trial.service, file.target);
    const length = headers['content-length'];
    const seen = `${status}, ${body.length} of ${size} bytes, Content-Length: ${length ?? 'missing'}`;
    // Without its length, an answer that breaks off would pass as complete.
    return judge(status === 200 && body.equals(file.content) && length === `${size}`, seen);
  };
}

export const DOWNLOAD_CHECKS: Checks = {
  required: {
    'large file': downloads('a b+c%41,ä🙂', 1_000_003),
    'empty file': downloads('empty', 0),
  },
  others: {
    'missing file': async ({ service, id }) =>
      rejection(await download(service, `/tmp/${id}/never-stored`), [404], /does not exist/),
    folder: async ({ service, id }) =>
      rejection(await download(service, `/tmp/${id}`), [400], /is a directory/),
    'wrong token is rejected': rejectsWrongToken(({ service, id }) => ({
      method: 'GET',
      path: pathOf(service.connection.uploadPath, { path: `/tmp/${id}/empty` }),
    })),
  },
};
