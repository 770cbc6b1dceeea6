// Hands folders that a fault has left behind to a process that opens them, and reports a folder that crashes the process.
// Used by the rehearsals of power loss and of damaged files.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Checked, Image } from './powerCheck.ts';

/** Opens images in a child process; one that crashes the child is reported as such. */
export async function checkImages(images: readonly Image[]): Promise<readonly Checked[]> {
  const checked: Checked[] = [];
  while (checked.length < images.length) {
    const script = join(import.meta.dirname, './powerCheck.ts');
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = new Promise<string>((resolve) => {
      child.once('close', (status, signal) => resolve(String(status ?? signal)));
    });
    child.stdin.on('error', () => {}); // it may have ended before it has read everything
    child.stdin.end(
      images
        .slice(checked.length)
        .map((image) => `${JSON.stringify(image)}\n`)
        .join(''),
    );
    for await (const line of createInterface({ input: child.stdout })) checked.push(JSON.parse(line));
    const end = await ended;
    if (checked.length < images.length) {
      const { dataDir } = images[checked.length];
      checked.push({ dataDir, outcome: 'died', text: `the process ended with ${end}`, history: 'not opened' });
    }
  }
  return checked;
}
