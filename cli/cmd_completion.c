/* stemma completion: scripts for bash, zsh and fish, made from the table of options. */
#include "command.h"

#include <string.h>

static bool completes_files(const option_spec *spec) {
    return spec->argument && (!strcmp(spec->argument, "FILE") || !strcmp(spec->argument, "DIR"));
}

/* ---- bash ---- */

static void bash_option_words(unsigned command_bit) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const option_spec *spec = &option_table[i];
        if (!option_known(spec, command_bit)) continue;
        if (spec->short_name) printf(" -%c", spec->short_name);
        if (spec->long_name) printf(" --%s", spec->long_name);
    }
}

static void bash_commands(void) {
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("        %s) words='", command_list[i]->name);
        bash_option_words(command_list[i]->mask);
        puts("' ;;");
    }
}

/* After an option that takes a value: its choices, files, or nothing. */
static void bash_values(void) {
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const option_spec *spec = &option_table[i];
        char name[64];
        if (!spec->argument) continue;
        printf("        %s", option_name(spec, name, sizeof name));
        if (spec->short_name && spec->long_name) printf("|-%c", spec->short_name);
        printf(") ");
        if (completes_files(spec))
            puts("compopt -o default; COMPREPLY=(); return ;;");
        else
            printf("COMPREPLY=($(compgen -W '%s' -- \"$current\")); return ;;\n",
                   spec->choices ? spec->choices : "");
    }
}

static void print_bash(void) {
    puts("# bash completion for stemma\n"
         "_stemma() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "    COMPREPLY=()\n"
         "    if [[ $current == '=' ]]; then current=\n"
         "    elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "    case $previous in");
    bash_values();
    puts("    esac\n"
         "    case ${COMP_WORDS[1]} in");
    bash_commands();
    puts("    esac\n"
         "    if ((COMP_CWORD == 1)); then");
    printf("        words='");
    for (size_t i = 0; i < COMMAND_COUNT; i++) printf("%s ", command_list[i]->name);
    puts("--help --version'\n"
         "    elif [[ ${COMP_WORDS[1]} == help && $current != -* ]]; then");
    printf("        words='recipe");
    for (size_t i = 0; i < COMMAND_COUNT; i++) printf(" %s", command_list[i]->name);
    puts("'\n"
         "    elif [[ ${COMP_WORDS[1]} == completion && $current != -* ]]; then\n"
         "        words='bash zsh fish'\n"
         "    elif [[ $current != -* ]]; then\n"
         "        compopt -o default; return\n"
         "    fi\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -F _stemma stemma");
}

/* ---- zsh ---- */

/* Inside '...[...]' of _arguments: brackets, colons and quotes would end it. */
static void zsh_text(const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_option(const option_spec *spec, const char *lead, const char *name,
                       const char *before_value) {
    printf(" \\\n            '*%s%s%s[", lead, name, spec->argument ? before_value : "");
    zsh_text(spec->help);
    putchar(']');
    if (completes_files(spec))
        printf(":%s:_files%s", spec->argument, strcmp(spec->argument, "DIR") ? "" : " -/");
    else if (spec->choices)
        printf(":%s:(%s)", spec->argument, spec->choices);
    else if (spec->argument)
        printf(":%s: ", spec->argument);
    putchar('\'');
}

static void zsh_command(const command *c) {
    printf("        %s) _arguments -s", c->name);
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const option_spec *spec = &option_table[i];
        char letter[2] = {spec->short_name, 0};
        if (!option_known(spec, c->mask)) continue;
        if (spec->short_name) zsh_option(spec, "-", letter, "+");
        if (spec->long_name) zsh_option(spec, "--", spec->long_name, "=");
    }
    printf(" \\\n            '*:%s' ;;\n",
           c->mask == IN_COMPLETION ? "shell:(bash zsh fish)"
           : c->mask == IN_HELP ? "command:(scan tree compare diff find sketch show text completion recipe)"
                                : "document:_files");
}

static void print_zsh(void) {
    puts("#compdef stemma\n"
         "_stemma() {\n"
         "    local -a commands\n"
         "    commands=(");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("        '%s:%s'\n", command_list[i]->name, command_list[i]->summary);
    puts("    )\n"
         "    if ((CURRENT == 2)); then\n"
         "        _describe command commands\n"
         "        return\n"
         "    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n"
         "    ((CURRENT--))\n"
         "    case $command in");
    for (size_t i = 0; i < COMMAND_COUNT; i++) zsh_command(command_list[i]);
    puts("    esac\n"
         "}\n"
         "compdef _stemma stemma");
}

/* ---- fish ---- */

static void fish_text(const char *text) {
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void fish_option(const command *c, const option_spec *spec) {
    printf("complete -c stemma -n '__fish_seen_subcommand_from %s'", c->name);
    if (spec->short_name) printf(" -s %c", spec->short_name);
    if (spec->long_name) printf(" -l %s", spec->long_name);
    if (completes_files(spec))
        printf(" -rF");
    else if (spec->argument)
        printf(" -x");
    if (spec->choices) printf(" -a '%s'", spec->choices);
    printf(" -d ");
    fish_text(spec->help);
    putchar('\n');
}

static void print_fish(void) {
    puts("# fish completion for stemma");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const command *c = command_list[i];
        printf("complete -c stemma -n __fish_use_subcommand -f -a %s -d ", c->name);
        fish_text(c->summary);
        putchar('\n');
        for (size_t k = 0; k < OPT_COUNT; k++)
            if (option_known(&option_table[k], c->mask)) fish_option(c, &option_table[k]);
    }
    puts("complete -c stemma -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    printf("complete -c stemma -n '__fish_seen_subcommand_from help' -f -a 'recipe");
    for (size_t i = 0; i < COMMAND_COUNT; i++) printf(" %s", command_list[i]->name);
    puts("'");
}

/* ---- the command ---- */

static enum exit_code run(const options *o) {
    const char *shell = o->operand_count == 1 ? o->operands[0] : "";
    if (!strcmp(shell, "bash"))
        print_bash();
    else if (!strcmp(shell, "zsh"))
        print_zsh();
    else if (!strcmp(shell, "fish"))
        print_fish();
    else
        return wrong_use("completion", "name a shell: bash, zsh or fish");
    return EXIT_DONE;
}

const command command_completion = {
    .name = "completion",
    .mask = IN_COMPLETION,
    .summary = "a completion script for a shell",
    .usage = "bash|zsh|fish",
    .purpose = "Prints a script that makes the shell complete commands, options and their values.",
    .examples = "  source <(stemma completion bash)\n"
                "  stemma completion zsh > ~/.zfunc/_stemma\n"
                "  stemma completion fish > ~/.config/fish/completions/stemma.fish\n",
    .see_also = "stemma(1)",
    .run = run,
};
