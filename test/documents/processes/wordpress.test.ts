/** The recipe for WordPress, run by PHP with what it calls of WordPress. */
import { describe, expect, test } from 'bun:test';
import { makeFirm, startTestServer } from '../../support/firm.ts';
import { folderWith, recipesOf } from '../../support/recipes.ts';

const hasPhp = Bun.which('php') !== null;
if (!hasPhp && process.env.CI) throw new Error('The recipe for WordPress needs PHP: php-cli.');
if (!hasPhp) console.log('The recipe for WordPress is not run: there is no php.');

/** What the recipe calls: options, the schedule, and requests, of which the first loses its answer. */
const wordPress = `<?php
define('MATTERHORN_URL', getenv('URL'));
define('MATTERHORN_KEY', getenv('KEY'));
$actions = $options = $schedule = [];
$asked = 0;
class WPCF7_Submission {
    static $posted;
    static function get_instance() { return new self; }
    function get_posted_data() { return self::$posted; }
}
function add_action($name, $do) { global $actions; $actions[$name] = $do; }
function add_option($name, $value, $old, $autoload) { global $options; $options[$name] = $value; }
function get_option($name) { global $options; return $options[$name]; }
function delete_option($name) { global $options; unset($options[$name]); }
function wp_generate_uuid4() { return bin2hex(random_bytes(16)); }
function wp_json_encode($value) { return json_encode($value); }
function wp_schedule_single_event($time, $name, $arguments) {
    global $schedule;
    $schedule[] = [$time, $name, $arguments];
}
function wp_remote_post($url, $request) {
    global $asked;
    $header = array_map(fn ($name) => "$name: {$request['headers'][$name]}", array_keys($request['headers']));
    $options = ['method' => 'POST', 'header' => $header, 'content' => $request['body'],
        'timeout' => $request['timeout'], 'ignore_errors' => true];
    $body = file_get_contents($url, false, stream_context_create(['http' => $options]));
    $status = (int) explode(' ', $http_response_header[0])[1];
    return ++$asked === 1 ? null : ['status' => $status, 'body' => $body];
}
function wp_remote_retrieve_response_code($answer) { return $answer['status'] ?? ''; }
function wp_remote_retrieve_body($answer) { return $answer['body'] ?? ''; }
?>`;

/** Two messages: the second has nobody's name. Then the schedule, until nothing is left of it. */
const visits = `
foreach ([
    ['your-name' => 'Zoë Quill', 'your-email' => 'zoe@quill.example', 'your-message' => str_repeat('é', 12000)],
    ['your-name' => '', 'your-message' => 'Call me.'],
] as $posted) {
    WPCF7_Submission::$posted = $posted;
    $actions['wpcf7_before_send_mail']();
}
$waits = [];
while ([$time, $name, $arguments] = array_shift($schedule) ?? [null, null, null]) {
    if ($name === null) break;
    $waits[] = $time - time() > 60;
    $actions[$name](...$arguments);
}
echo json_encode(['asked' => $asked, 'waits' => $waits, 'left' => array_values($options)]);
`;

describe.skipIf(!hasPhp)('WordPress', () => {
  test('makes one lead of a message though its first answer is lost, and keeps what is refused', async () => {
    const server = await startTestServer();
    const firm = await makeFirm(server);
    const intake = await firm.callerOf('ada@harrow.example', ['leads:write']);
    const [recipe] = await recipesOf(server.url, '/docs/wordpress');
    expect(recipe?.language).toBe('php');
    const cwd = await folderWith({ 'program.php': wordPress + recipe?.text + visits });
    const child = Bun.spawn(['php', '-d', 'error_log=', 'program.php'], {
      cwd,
      env: { PATH: process.env.PATH, URL: server.url, KEY: intake.key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(await child.exited).toBe(0);
    expect(JSON.parse(out)).toEqual({
      asked: 3,
      // The first of both at once; the one without an answer five minutes later.
      waits: [false, false, true],
      left: [{ note: 'Call me.' }],
    });
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toContain('lastName');
    const { data, pagination } = (await firm.owner.get('/v1/leads?include=contact')).body;
    expect(pagination.total).toBe(1);
    expect(data[0].contact).toMatchObject({
      name: 'Zoë Quill',
      emails: [expect.objectContaining({ address: 'zoe@quill.example' })],
    });
    const notes = (await firm.owner.get(`/v1/notes?leadId=${data[0].id}`)).body.data;
    expect(notes).toEqual([expect.objectContaining({ text: 'é'.repeat(10_000) })]);
  });
});
