"""Passwords on command lines: a command, and the option or the place that takes a password.

``-p`` is a port to one command and a password to the next, so that each option is tied to its
commands. Options that are called after a password, ``--password``, need no line here.
"""

# ruff: noqa: E501 (an expression is read as one line)
from __future__ import annotations

Row = tuple[tuple[str, ...], str]  # the commands in lower case; the expression behind them

VALUE = (
    r"[\"']?((?<=')[^'$\n][^'\n]{3,80}+(?=')|(?<=\")[^\"$\n][^\"\n]{3,80}+(?=\")"
    r"|[^\s\"'`$<{>|&;-][^\s\"'`<>|]{3,}+)"
)
WORDS = r"[^\n|;]{0,160}?"
P = rf"{WORDS}[ ](?:-p|--pass)[ =]?{VALUE}"
COMMANDS: tuple[Row, ...] = (
    # any client that logs in: registries, clouds, clusters
    (("login ",), rf"{WORDS}[ ]?-p[ =]{VALUE}"),
    (("sshpass ",), rf"{WORDS}-p[ ]?{VALUE}"),
    (("psexec", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "cypher-shell", "evil-winrm", "crackmapexec", "nxc", "xfreerdp", "rdesktop", "influx", "impacket-",), P),
    (("mysql", "mariadb", "mycli",), rf"[a-z-]{{0,12}}(?=[ ]){WORDS}[ ]-p{VALUE}"),
    (("7z", "7za", "7zz", "rar", "unrar",), rf"(?=[ ]){WORDS}[ ]-(?:hp|p){VALUE}"),
    (("zip", "unzip", "zipcloak",), rf"(?=[ ]){WORDS}[ ]-P[ ]?{VALUE}"),
    (("openssl ",), rf"{WORDS}[ ](?:-k[ ]|-(?:pass|passin|passout)[ =]pass:){VALUE}"),
    (("redis-cli",), rf"[ ]{WORDS}-a[ ]{VALUE}"),
    (("sqlcmd", "osql", "bcp", "ipmitool",), rf"(?=[ ]){WORDS}[ ]-P[ ]?{VALUE}"),
    (("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami", "ldapdelete", "ldappasswd", "ldapcompare",), rf"(?=[ ]){WORDS}[ ]-w[ ]{VALUE}"),
    (("smbclient", "rpcclient", "smbmap", "winexe",), rf"[ ]{WORDS}-U[ ][\"']?[\w.\\/@-]{{1,60}}%{VALUE}"),
    (("lftp", "ncftp",), rf"[ ]{WORDS}-u[ ][\"']?[\w.@-]{{1,60}},{VALUE}"),
    (("sqlplus", "sqlldr", "expdp", "impdp", "rman",), rf"(?=[ ]){WORDS}[ \"'=][\w.$-]{{1,60}}/([^\s@\"'/<>$]{{4,}}+)@"),
    (("rabbitmqctl ",), rf"{WORDS}(?:add_user|change_password|authenticate_user)[ ]\S{{1,80}}[ ]{VALUE}"),
    (("htpasswd ",), rf"-[a-z]{{0,6}}n[a-z]{{0,6}}[ ][\w.@-]{{1,80}}[ ]{VALUE}"),
    (("htpasswd ",), rf"-[a-mo-z]{{0,6}}b[a-mo-z]{{0,6}}[ ](?:-\w[ ])?\S{{1,120}}[ ][\w.@-]{{1,80}}[ ]{VALUE}"),
    (("gh secret set ",), rf"{WORDS}(?:-b|--body)[ =]{VALUE}"),
    (("mc alias set ", "mc config host add ",), rf"\S{{1,60}}[ ]\S{{1,120}}[ ]\S{{1,120}}[ ]{VALUE}"),
    (("wpa_passphrase ",), rf"\S{{1,60}}[ ]{VALUE}"),
    (("vault login ",), rf"(?:-\S{{1,40}}[ ]){{0,3}}{VALUE}"),
    (("net user ",), rf"[\w.-]{{1,40}}[ ](?!/){VALUE}(?=[ ]/add)"),
    (("rootpw ",), rf"(?:--\w{{1,20}}[ ]){{0,3}}{VALUE}"),
    (("--from-literal",), rf"[ =][\"']?[\w.-]{{1,60}}=[\"']?{VALUE}"),
    (("enable", "username", "neighbor",), rf"[ ]{WORDS}(?:password|secret)[ ][0579][ ]{VALUE}"),
    # a password that is handed to a command
    (("echo", "printf",), rf"[ ](?:-n[ ])?{VALUE}[\"']?[ ]?\|[ ]?(?:sudo[ ])?[^\n]{{0,80}}?(?:--password-stdin|--stdin|kinit|sudo[ ]-S|su[ ]-c)"),
    (("echo", "printf",), rf"[ ](?:-n[ ])?[\"']?[\w.-]{{1,40}}:{VALUE}[\"']?[ ]?\|[ ]?(?:sudo[ ])?chpasswd"),
)  # fmt: skip
