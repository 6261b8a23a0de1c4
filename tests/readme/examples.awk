# Writes the n-th program of a page to OUTn.c and its output, the block without a language after it, to OUTn.txt.
/^```c$/ { name = out (++n) ".c"; next }
/^```$/ && name == "" && n && !said[n] { said[n] = 1; name = out n ".txt"; next }
/^```/ { name = ""; next }
name { print > name }
