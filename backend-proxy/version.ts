// The version of the proxy, as released.
import project from '../package.json' with { type: 'json' };

export const VERSION: string = project.version;
