/** Texts that would act on something if not escaped. */
export const TEXTS: Readonly<Record<string, string>> = {
  'commands of the runner':
    '\n::set-output name=gate::passed\n::add-mask::a\n::error::x\r::stop-commands::y\n',
  'old commands of the runner': '##[group]x\n##[error]y ##[add-mask]z##[set-output name=a;]b',
  'the delimiter of outputs': 'x\nghadelimiter_\ngate<<EOF\npassed\nEOF\n%0Agate=passed%0D%25',
  'control characters':
    '\u001b[2J\u001b]8;;http://evil.example\u0007\u0000\u0008\u007f\u009b31m\u0085',
  'marks of direction': '\u202egpj.exe\u2066\u2069\u200f\u061c\u200b\ufeff\u2028\u2029',
  'halves of surrogate pairs': '\ud800x\udc00\ud83d',
  HTML: '</code></td></table></details><script>alert(1)</script><img src=x onerror=alert(1)><!-- &lt;b&gt;',
  Markdown:
    '\n\n# Heading\n\n[link](https://evil.example) ![i](https://evil.example/x.png) `code` | a | @me',
  Mermaid: '\n\n```mermaid\ngraph TD; A-->B; click A "javascript:alert(1)"\n```\n%%{init: {}}%%\n',
  templates: '${{ secrets.TOKEN }} $(id) `id` {{7*7}} %s%n',
};

/** Line breaks, commands, an escape sequence and tags, every character escaped. */
export const ESCAPED = Array.from(
  '\n::error::x\r\n##[group]\u001b[31m<script>\u202e',
  character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
).join('');
