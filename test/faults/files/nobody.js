// Loaded into the action's process before the action itself: gives up root, who may read everything.
if (process.getuid() === 0) {
  process.setgroups([]);
  process.setgid(65_534);
  process.setuid(65_534);
}
